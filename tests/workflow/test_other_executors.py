"""Jobs that other executors start, with no more of the environment than what is passed on."""

from pathlib import Path

from tests.workflow.conftest import copy_sources

# An executor that starts each job as a cluster does whose nodes know nothing of the environment.
EXECUTOR = """
import os
import subprocess
import sys

from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo
from snakemake_interface_executor_plugins.executors.real import RealExecutor
from snakemake_interface_executor_plugins.settings import CommonSettings, ExecMode

common_settings = CommonSettings(non_local_exec=True, implies_no_shared_fs=False, job_deploy_sources=False)


class Executor(RealExecutor):
    cores = 1

    def run_job(self, job):
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH")}
        done = subprocess.run(self.format_job_exec(job), shell=True, env=kept, executable="/bin/bash")
        told = self.report_job_error if done.returncode else self.report_job_success
        told(SubmittedJobInfo(job))

    def get_exec_mode(self):
        return ExecMode.REMOTE

    def get_python_executable(self):
        return sys.executable

    def get_job_args(self, job):
        return f"--target-jobs {job.rule.name}: --allowed-rules {job.rule.name} --cores 1 --force"

    def cancel(self):
        pass

    def shutdown(self):
        pass
"""


def test_a_module_of_the_folder_does_not_shadow_another_in_a_job_that_starts_elsewhere(
    tmp_path: Path,
) -> None:
    project = copy_sources(tmp_path / "project")
    plugin = project / "src/snakemake_executor_plugin_bare/__init__.py"
    plugin.parent.mkdir()
    plugin.write_text(EXECUTOR)
    (project / "random.py").write_text("raise ImportError('of the folder')\n")
    target = "results/smoke/claims/000/tree-nodes.csv"
    words = ("--configfile", "config/smoke.yaml", "--executor", "bare", "--jobs", "1", "--retries", "0")
    done = project.run("-P", "-m", "snakemake", target, *words)
    assert done.returncode == 0, done.stderr
    assert (project / target).exists()

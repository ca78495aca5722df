# One algorithm on one state's panel, at every privacy level and with all repetitions.


rule rw_ftpl:
    input:
        code=code("rw_ftpl"),
        panel=panel_of_game,
    output:
        totals="<results>/games/{scenario}/{state}/rw-ftpl.totals.csv",
        curves="<results>/games/{scenario}/{state}/rw-ftpl.curves.csv",
    log:
        "<logs>/rw-ftpl/{scenario}-{state}.log",
    benchmark:
        "<benchmarks>/rw-ftpl/{scenario}-{state}.tsv"
    conda:
        "../../environment.yml"
    params:
        flags=flags(GAME),
    shell:
        "private-experts rw-ftpl --panel {input.panel} --state {wildcards.state} {params.flags}"
        " --totals {output.totals} --curves {output.curves} 2> {log}"


rule rw_meta:
    input:
        code=code("rw_meta"),
        panel=panel_of_game,
    output:
        totals="<results>/games/{scenario}/{state}/rw-meta.totals.csv",
        curves="<results>/games/{scenario}/{state}/rw-meta.curves.csv",
    log:
        "<logs>/rw-meta/{scenario}-{state}.log",
    benchmark:
        "<benchmarks>/rw-meta/{scenario}-{state}.tsv"
    conda:
        "../../environment.yml"
    params:
        flags=flags(GAME + LEARNERS),
    shell:
        "private-experts rw-meta --panel {input.panel} --state {wildcards.state} {params.flags}"
        " --totals {output.totals} --curves {output.curves} 2> {log}"


rule tree_ftpl:
    input:
        code=code("tree_ftpl"),
        panel=panel_of_game,
    output:
        totals="<results>/games/{scenario}/{state}/tree-ftpl.totals.csv",
        curves="<results>/games/{scenario}/{state}/tree-ftpl.curves.csv",
    log:
        "<logs>/tree-ftpl/{scenario}-{state}.log",
    benchmark:
        "<benchmarks>/tree-ftpl/{scenario}-{state}.tsv"
    conda:
        "../../environment.yml"
    params:
        flags=flags(GAME),
    shell:
        "private-experts tree-ftpl --panel {input.panel} --state {wildcards.state} {params.flags}"
        " --totals {output.totals} --curves {output.curves} 2> {log}"


rule yardsticks:
    input:
        code=code("yardsticks"),
        panel=panel_of_game,
    output:
        totals="<results>/games/{scenario}/{state}/yardsticks.totals.csv",
        curves="<results>/games/{scenario}/{state}/yardsticks.curves.csv",
    log:
        "<logs>/yardsticks/{scenario}-{state}.log",
    benchmark:
        "<benchmarks>/yardsticks/{scenario}-{state}.tsv"
    conda:
        "../../environment.yml"
    params:
        flags=flags(GAME),
    shell:
        "private-experts yardsticks --panel {input.panel} --state {wildcards.state} {params.flags}"
        " --totals {output.totals} --curves {output.curves} 2> {log}"


rule private_leaders:
    input:
        code=code("private_leaders"),
        panel=panel_of_game,
    output:
        totals="<results>/games/{scenario}/{state}/private-leaders.totals.csv",
        curves="<results>/games/{scenario}/{state}/private-leaders.curves.csv",
    log:
        "<logs>/private-leaders/{scenario}-{state}.log",
    benchmark:
        "<benchmarks>/private-leaders/{scenario}-{state}.tsv"
    conda:
        "../../environment.yml"
    params:
        flags=flags(GAME),
    shell:
        "private-experts private-leaders --panel {input.panel} --state {wildcards.state} {params.flags}"
        " --totals {output.totals} --curves {output.curves} 2> {log}"

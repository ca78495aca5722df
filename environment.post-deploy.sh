#!/bin/sh
# Fills the environment that environment.yml makes: the very packages of requirements.lock, and this package from its
# folder. Snakemake runs it by itself (--software-deployment-method conda). It makes the environment again when this file
# changes, so the checksum of the lock file stands here; `make lock` renews it.
set -eu
lock=1ac1fa7a39b7805b003f12e0040f1171216107a163bcad6d6bbb02c115bded32
found=$(python -c 'import hashlib; print(hashlib.sha256(open("requirements.lock", "rb").read()).hexdigest())')
if [ "$found" != "$lock" ]; then
  echo "private-experts: environment.post-deploy.sh is of another requirements.lock; run make lock" >&2
  exit 2
fi
python -m pip install --quiet --quiet --require-hashes --requirement requirements.lock
python -m pip install --quiet --quiet --no-deps --no-build-isolation --editable .

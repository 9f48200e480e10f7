"""What `deploy/` holds is what the tools that read it take."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from dagster._config import process_config
from dagster._core.instance.ref import InstanceRef
from dagster._core.remote_origin import GrpcServerCodeLocationOrigin
from dagster._core.workspace.load import location_origins_from_yaml_paths
from dagster_docker import DockerRunLauncher
from dagster_k8s import K8sRunLauncher
from dagster_k8s.job import DagsterK8sJobConfig, UserDefinedDagsterK8sConfig, construct_dagster_k8s_job
from dagster_postgres.utils import get_conn_string

from memory_assets.settings import load_settings
from memory_assets_tests.fleet.machines import ROOT

DEPLOY = ROOT / "deploy"
RECORDS = {
    "DAGSTER_POSTGRES_HOST": "127.0.0.1",
    "DAGSTER_POSTGRES_USER": "memory",
    "DAGSTER_POSTGRES_PASSWORD": "not a real one",
    "DAGSTER_POSTGRES_DB": "dagster",
}
KUBERNETES = "1.33"


def loaded(path: str) -> Any:
    """A YAML file of the folder."""
    return yaml.safe_load((DEPLOY / path).read_text(encoding="utf-8"))


def said_by(*command: str | Path) -> str:
    """What a tool of this environment says of a file; empty where it is content."""
    done = subprocess.run(
        [Path(sys.executable).parent / command[0], *command[1:]], capture_output=True, text=True, cwd=ROOT, check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_compose_file_is_one() -> None:
    """By the schema of the Compose specification."""
    file = DEPLOY / "compose" / "compose.yaml"
    assert said_by("check-jsonschema", "--builtin-schema", "vendor.compose-spec", file) == ""
    services = loaded("compose/compose.yaml")["services"]
    assert set(services) == {"postgres", "code", "webserver", "daemon"}
    # Nobody but this machine reaches the UI, and nobody at all the database.
    assert [port for service in services.values() for port in service.get("ports", ())] == ["127.0.0.1:3000:3000"]
    named = {name for service in services.values() for name in re.findall(r"\$\{(\w+)", json.dumps(service))}
    named |= set(re.findall(r"\$\{(\w+)", json.dumps(loaded("compose/compose.yaml")["volumes"])))
    given = re.findall(r"^(\w+)=", (DEPLOY / "compose" / "env.example").read_text(), re.MULTILINE)
    assert named == set(given)


def test_another_machine_reaches_postgresql_where_it_is_asked_for() -> None:
    """By a second file, on one address, which has to be named; what it adds to is there."""
    file = DEPLOY / "compose" / "network.yaml"
    assert said_by("check-jsonschema", "--builtin-schema", "vendor.compose-spec", file) == ""
    (service,) = loaded("compose/network.yaml")["services"].items()
    assert service[0] == "postgres" and set(service[1]) == {"ports"}
    address, host_port, port = re.fullmatch(r"\$\{(\w+):\?[^}]+\}:(\d+):(\d+)", service[1]["ports"][0]).groups()  # type: ignore[union-attr]
    offered = dict(re.findall(r"^# (\w+)=(\S+)$", (DEPLOY / "compose" / "env.example").read_text(), re.MULTILINE))
    assert offered["COMPOSE_FILE"].split(":") == ["compose.yaml", file.name] and address in offered
    assert host_port == port == "5432"


def test_a_container_of_a_run_has_what_the_code_location_has() -> None:
    code = loaded("compose/compose.yaml")["services"]["code"]
    launcher = loaded("compose/dagster.yaml")["run_launcher"]["config"]
    assert set(launcher["env_vars"]) == set(code["environment"]) - {"DAGSTER_CURRENT_IMAGE"}
    assert launcher["container_kwargs"]["volumes"] == code["volumes"]
    volumes = loaded("compose/compose.yaml")["volumes"]
    assert {volume.partition(":")[0] for volume in code["volumes"]} <= {(told or {}).get("name") for told in volumes.values()}
    assert launcher["network"] == loaded("compose/compose.yaml")["networks"]["memory"]["name"]


@pytest.mark.parametrize("folder", ["hosts", "compose"])
def test_dagster_takes_the_instance_file(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in RECORDS.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "dagster.yaml").write_text((DEPLOY / folder / "dagster.yaml").read_text())
    reference = InstanceRef.from_dir(str(tmp_path))
    storage = reference.storage_data
    assert storage is not None
    url = get_conn_string(**{**storage.config_dict["postgres_db"], **_said(storage.config_dict["postgres_db"])})
    assert url == "postgresql+psycopg2://memory:not%20a%20real%20one@127.0.0.1:5432/dagster"
    launcher = reference.run_launcher_data
    assert launcher is not None
    if folder == "compose":
        assert launcher.class_name == "DockerRunLauncher"
        assert process_config(DockerRunLauncher.config_type(), launcher.config_dict).success
    else:
        assert launcher.class_name == "DefaultRunLauncher"


def _said(config: Mapping[str, Any]) -> dict[str, str]:
    return {name: RECORDS[value["env"]] for name, value in config.items() if isinstance(value, dict)}


@pytest.mark.parametrize("file", ["hosts/workspace.yaml", "compose/workspace.yaml"])
def test_dagster_takes_the_workspace(file: str) -> None:
    origins = location_origins_from_yaml_paths([str(DEPLOY / file)])
    assert all(isinstance(origin, GrpcServerCodeLocationOrigin) and origin.port == 4000 for origin in origins)
    assert [origin.location_name for origin in origins] == [
        one["grpc_server"]["location_name"] for one in loaded(file)["load_from"]
    ]


def test_every_variable_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """What containers are given is taken: a name of ours that is no setting ends every command."""
    values = loaded("kubernetes/values.yaml")["dagster-user-deployments"]["deployments"][0]
    image = dict(re.findall(r"(\w+)=(\S+)", (DEPLOY / "Dockerfile").read_text()))
    given = loaded("compose/compose.yaml")["services"]["code"]["environment"] | {
        one["name"]: one["value"] for one in values["env"]
    }
    given |= image
    ours = {name: value for name, value in given.items() if name.startswith("MEMORY_")}
    assert set(ours) == {"MEMORY_STORE_URL", "MEMORY_HOME", "MEMORY_SESSIONS_FOLDER"}
    for name in RECORDS | ours:
        monkeypatch.setenv(name, str({**RECORDS, **ours}[name]))
    settings = load_settings()
    assert (str(settings.home), str(settings.sessions_folder)) == ("/memory", "/sessions")


def test_the_image_is_made_as_the_linter_wants_it() -> None:
    file = DEPLOY / "Dockerfile"
    assert said_by("hadolint", file) == ""
    extras = re.findall(r'"\.\[([\w,-]+)\]"', file.read_text())[0].split(",")
    offered = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(extras) <= set(offered)
    for source in re.findall(r"^COPY (\S+) ", file.read_text(), re.MULTILINE):
        assert (ROOT / source).exists()


def test_kubernetes_takes_what_the_chart_makes_of_the_values() -> None:
    """By Kubernetes' own schemas: the volumes, the pod of the code location, and the job of a run as Dagster makes it."""
    for volume in yaml.safe_load_all((DEPLOY / "kubernetes" / "volumes.yaml").read_text()):
        kubernetes_validate.validate(volume, KUBERNETES, strict=True)
    values = loaded("kubernetes/values.yaml")
    (deployment,) = values["dagster-user-deployments"]["deployments"]
    image = f"{deployment['image']['repository']}:{deployment['image']['tag']}"
    container = {
        "name": deployment["name"],
        "image": image,
        "env": deployment["env"],
        "envFrom": [{"secretRef": secret} for secret in deployment["envSecrets"]],
        "volumeMounts": deployment["volumeMounts"],
        "resources": deployment["resources"],
    }
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "code", "labels": deployment["labels"]},
        "spec": {
            "containers": [container],
            "volumes": deployment["volumes"],
            "securityContext": deployment["podSecurityContext"],
        },
    }
    kubernetes_validate.validate(pod, KUBERNETES, strict=True)
    job = _job_of(values, image)
    assert "podAffinity" in job["spec"]["template"]["spec"]["affinity"]
    kubernetes_validate.validate(job, KUBERNETES, strict=True)
    claims = {volume["metadata"]["name"] for volume in yaml.safe_load_all((DEPLOY / "kubernetes" / "volumes.yaml").read_text())}
    assert claims == {volume["persistentVolumeClaim"]["claimName"] for volume in deployment["volumes"]}


def _job_of(values: Mapping[str, Any], image: str) -> dict[str, Any]:
    (config,) = values["runLauncher"]["config"].values()
    told = {
        "image_pull_policy": config["imagePullPolicy"],
        "load_incluster_config": config["loadInclusterConfig"],
        "fail_pod_on_run_failure": config["failPodOnRunFailure"],
        "resources": config["resources"],
        "run_k8s_config": {_snake(name): value for name, value in config["runK8sConfig"].items()},
        "service_account_name": "dagster",
        "instance_config_map": "dagster-instance",
        "postgres_password_secret": values["global"]["postgresqlSecretName"],
        "dagster_home": "/opt/dagster/dagster_home",
        "job_namespace": "default",
    }
    assert process_config(K8sRunLauncher.config_type(), told).success
    affinity = told["run_k8s_config"]["pod_spec_config"]["affinity"]["podAffinity"]
    (rule,) = affinity["requiredDuringSchedulingIgnoredDuringExecution"]
    assert rule["labelSelector"]["matchLabels"] == values["dagster-user-deployments"]["deployments"][0]["labels"]
    job = construct_dagster_k8s_job(
        DagsterK8sJobConfig(
            job_image=image, dagster_home="/opt/dagster/dagster_home", instance_config_map="dagster-instance",
            postgres_password_secret=told["postgres_password_secret"], service_account_name="dagster",
        ),
        args=["dagster", "api", "execute_run"],
        job_name="dagster-run",
        user_defined_k8s_config=UserDefinedDagsterK8sConfig.from_dict(told["run_k8s_config"]),
    )  # fmt: skip
    from kubernetes.client import ApiClient

    return dict(ApiClient().sanitize_for_serialization(job))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def test_nothing_here_holds_a_password() -> None:
    """Where a password would stand is the name of a variable, or nothing."""
    for file in _files():
        for line in file.read_text(encoding="utf-8").splitlines():
            if (told := re.search(r"(?i)password\w*[:=]\s*(\S.*)", line)) and not line.lstrip().startswith("#"):
                assert told[1].startswith(("${", "memory-postgres", "false")) or told[1] == "", (file.name, line)


def _files() -> Iterator[Path]:
    yield from (file for file in DEPLOY.rglob("*") if file.is_file())

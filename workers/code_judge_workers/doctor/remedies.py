"""What brings a wall that is missing on this machine."""

from .host import Host

CONTAINER_RIGHTS = (
    "docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined ... "
    "(Kubernetes: the same in the pod's securityContext: seccompProfile Unconfined, procMount Unmasked)"
)
LANDLOCK = (
    "boot Linux 5.13 or newer with lsm=landlock,... in front of what `cat /sys/kernel/security/lsm` lists; "
    "or bring user namespaces, which need no Landlock"
)


def for_namespaces(host: Host) -> str:
    """Own processes, files and network: what the tier ``namespaces`` needs."""
    if not host.user_namespaces:
        return "sysctl -w user.max_user_namespaces=15000"
    if host.is_filtered:
        return CONTAINER_RIGHTS
    if host.is_root and not host.has_admin_rights:
        return "docker run --privileged ... (or --cap-add SYS_ADMIN), or run the node outside a container"
    if not host.is_root and not host.clone_switch:
        return "sysctl -w kernel.unprivileged_userns_clone=1"
    if not host.is_root and host.apparmor_refuses:
        return "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    return CONTAINER_RIGHTS if host.is_root else f"run the node as root; in a container: {CONTAINER_RIGHTS}"


def for_cgroup(host: Host) -> str:
    """A memory cgroup of the node's own."""
    if host.is_root:
        return "mount -o remount,rw /sys/fs/cgroup (in a container: docker run --privileged ...)"
    return "systemd-run --user --scope -p Delegate=yes python run_workers.py (a unit: Delegate=yes)"


def for_wall(name: str, host: Host) -> str:
    """What brings the protection of this name, as ``GET /cluster`` calls it."""
    match name:
        case "own processes":
            return for_namespaces(host)
        case "own files":
            return LANDLOCK
        case "own user":
            return "run the node as root"
        case "memory":
            return for_cgroup(host)
        case _:
            return "run the node on x86-64 or aarch64, with a kernel that has CONFIG_SECCOMP_FILTER"

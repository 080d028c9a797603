# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A Slurm cluster for tests/fleet/run: a controller and two nodes, all on the
# loopback address, with munge's daemon for their keys. FOLDER holds all files
# of the cluster.

# slurm_conf FOLDER: writes the configuration that the daemons and sbatch read.
slurm_conf() {
  cat <<END
ClusterName=fleet
SlurmctldHost=localhost
SlurmctldPort=17817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$1/munge/socket
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool-%n
SlurmctldPidFile=$1/controller.pid
SlurmdPidFile=$1/%n.pid
SlurmctldLogFile=$1/controller.log
SlurmdLogFile=$1/%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
SlurmdTimeout=10
NodeName=one NodeHostname=localhost NodeAddr=127.0.0.1 Port=17818 CPUs=1
NodeName=two NodeHostname=localhost NodeAddr=127.0.0.1 Port=17819 CPUs=1
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
}

slurm_start() {
  mkdir -p "$1/munge" "$1/state" "$1/spool-one" "$1/spool-two" || return
  export SLURM_CONF="$1/slurm.conf"
  slurm_conf "$1" >"$SLURM_CONF"
  (umask 077 && head -c 1024 /dev/urandom >"$1/munge/key") || return
  munged --force --key-file="$1/munge/key" --socket="$1/munge/socket" \
    --pid-file="$1/munge.pid" --log-file="$1/munge/log" \
    --seed-file="$1/munge/seed" || return
  slurmctld && slurmd -N one && slurmd -N two
}

# Prints the processes of a node: those that run its jobs, and their parents.
slurm_processes() {
  for slurm_process in /proc/[0-9]*; do
    grep -qsazx "SLURMD_NODENAME=$1" "$slurm_process/environ" || continue
    echo "${slurm_process#/proc/}"
    awk '/^PPid:/ { print $2 }' "$slurm_process/status" 2>/dev/null
  done | sort -u | grep -vx 1
}

# slurm_kill FOLDER NODE: kills a node, like a machine that loses its power.
slurm_kill() {
  kill -9 "$(cat "$1/$2.pid")" || return
  # shellcheck disable=SC2046 # numbers
  kill -9 $(slurm_processes "$2") 2>/dev/null
  [ -z "$(slurm_processes "$2")" ] || { echo "$2 still runs"; return 1; }
}

slurm_stop() {
  for slurm_daemon in one two controller munge; do
    kill "$(cat "$1/$slurm_daemon.pid" 2>/dev/null)" 2>/dev/null
  done
}

#!/usr/bin/env bash
# deploy/drill.sh      proves on a real cluster what docs/kubernetes.md promises, and prints how long each part took.
#
# Needs kubectl and helm with the rights of an administrator (KUBECONFIG), a cluster whose only node is this machine, and a
# registry that it reaches (`crane registry serve --address localhost:5000`) with the images of
# `npm run images -- --registry localhost:5000 --tag drill`, and of deploy/images/program-image.sh localhost:5000/mongodb:drill,
# nats:drill and redis:drill. Works in the namespace webkiln-drill and deletes it at the end.
#
#   RESTART_CLUSTER='COMMAND'   stops the cluster and starts it again; without it that part is left out, and said so
#   DRILL_FOLDER=/path          where the stores keep their data (default: a new temporary folder)
#   POD_NETWORK=CIDR            from where the node's requests come to pods (default: 10.88.0.0/16)
#   PARTS='install suite …'     only these parts, in this order
set -euo pipefail
cd "$(dirname "$0")/.."
namespace=webkiln-drill node=http://localhost:30080
POD_NETWORK=${POD_NETWORK:-10.88.0.0/16}
folder=${DRILL_FOLDER:-$(mktemp -d)}
parts=${PARTS:-install suite deploy restart-pods backup restart-cluster uninstall}
chart=deploy/charts/webkiln own=projects-templates
values=(-f $chart/examples/small.yaml -f deploy/drill/values.yaml)
toolchain() { node scripts/with-toolchain.mjs "$@"; }
k() { kubectl --namespace $namespace "$@"; }
h() { helm --namespace $namespace "$@"; }
began=$SECONDS
. deploy/drill/backup.sh
say() { echo "[$((SECONDS - began)) s] $*"; }

install() {
  mkdir -p "$folder"/{mongodb,nats,redis,mails,backup}
  chown 65532:65532 "$folder"/*
  chmod 755 "$folder"
  sed "s#DRILL_FOLDER#$folder#" deploy/drill/cluster.yaml | kubectl apply -f - > /dev/null
  toolchain cli/src/main.ts secrets create --namespace $namespace 2> /dev/null | kubectl create -f - > /dev/null
  local from=$SECONDS
  h install webkiln $chart "${values[@]}" \
    --set-string "global.settings.OUTBOUND_ALLOWED_CIDRS=127.0.0.1/32\,$(node_address)/32" \
    --set-string "gateway.env.TRUSTED_PROXIES=$(node_address)\,$POD_NETWORK" > /dev/null
  h install $own $chart "${own_values[@]}" > /dev/null
  ready
  say "installed and ready after $((SECONDS - from)) s"
  [ $((SECONDS - from)) -le 180 ]
}
own_values=(--set global.image.registry=localhost:5000 --set global.image.tag=drill --set only=$own --set $own.replicas=1)

# Every Deployment and store is ready, and the gateway answers on the node.
ready() {
  k wait --for=condition=Available deployment --all --timeout=180s > /dev/null
  k rollout status statefulset mongodb --timeout=120s > /dev/null
  for _ in $(seq 120); do curl -sf -o /dev/null $node/api/v1/docs && return; sleep 0.5; done
  echo "the gateway does not answer at $node" >&2
  return 1
}

node_address() { kubectl get nodes -o jsonpath='{.items[0].status.addresses[?(@.type=="InternalIP")].address}'; }
address_of() { k get pods -l "app.kubernetes.io/name=$1,app.kubernetes.io/component in (process, server)" --field-selector status.phase=Running -o jsonpath='{.items[0].status.podIP}'; }

# What the test suites must know of the platform: WEBKILN_TEST_PLATFORM.
facts() {
  local name addresses=()
  for name in identity clients-plans projects-templates webhooks sites analytics embed mcp; do
    addresses+=("\"$(tr a-z- A-Z_ <<< "$name")_ADDRESS\":\"$(address_of $name):9000\"")
  done
  local key; key=$(k get secret webkiln-operator -o jsonpath='{.data.OPERATOR_SIGNING_KEY}' | base64 -d)
  local nats; nats=$(k get secret webkiln-backup -o jsonpath='{.data.NATS_URL}' | base64 -d | sed "s/@nats:/@$(address_of nats):/")
  local mongodb; mongodb=$(k get secret webkiln-mongodb -o jsonpath='{.data.MONGODB_URL}' | base64 -d | sed "s#@mongodb:#@$(address_of mongodb):#; s#replicaSet=webkiln#directConnection=true#")
  local redis; redis=$(k get secret webkiln-gateway -o jsonpath='{.data.REDIS_URL}' | base64 -d | sed "s/@redis:/@$(address_of redis):/")
  cat << JSON
{"origins":["$node"],"sitesOrigin":"http://sites.localhost:30080","operatorKey":"$key","mailFolder":"$folder/mails","receiverHost":"$(node_address)",
"addresses":{$(IFS=,; echo "${addresses[*]}")},
"urls":{"MONGODB_URL":"$mongodb","NATS_URL":"$nats","REDIS_URL":"$redis"}}
JSON
}

under_load() { WEBKILN_TEST_PLATFORM=$(facts) toolchain test/drill/under-load.ts "$@"; }

suite() { WEBKILN_TEST_PLATFORM=$(facts) npm test -- test/contract; }

# A team upgrades its service by its own release and takes it back; the other release stays as it is.
deploy() {
  local before; before=$(h history webkiln -o json)
  local set="helm -n $namespace upgrade $own $chart ${own_values[*]} --set-string $own.podAnnotations.drill=upgrade --wait > /dev/null 2>&1"
  under_load "$set" "helm -n $namespace rollback $own 1 --wait > /dev/null"
  [ "$before" = "$(h history webkiln -o json)" ]
  say "$own was upgraded and rolled back"
}

restart_pods() {
  local name commands=()
  for name in gateway identity clients-plans projects-templates sites webhooks; do
    commands+=("kubectl -n $namespace delete pod -l app.kubernetes.io/name=$name --wait=false > /dev/null && kubectl -n $namespace rollout status deployment/$name --timeout=120s > /dev/null && sleep 8")
  done
  under_load "${commands[@]}"
  say "a pod of each was deleted"
}

restart_cluster() {
  if [ -z "${RESTART_CLUSTER:-}" ]; then say "the cluster was NOT restarted: RESTART_CLUSTER is not set"; return; fi
  local before after; before=$(WEBKILN_TEST_PLATFORM=$(facts) toolchain test/drill/stored-clients.ts)
  bash -c "$RESTART_CLUSTER" > /dev/null 2>&1
  for _ in $(seq 120); do kubectl get --raw /readyz > /dev/null 2>&1 && break; sleep 1; done
  ready
  after=$(WEBKILN_TEST_PLATFORM=$(facts) toolchain test/drill/stored-clients.ts "$before")
  say "after a restart of the cluster: $after"
}

uninstall() {
  h uninstall $own --wait --cascade foreground > /dev/null
  h uninstall webkiln --wait --cascade foreground > /dev/null
  k wait --for=delete persistentvolumeclaim/data-mongodb-0 persistentvolumeclaim/data-nats-0 persistentvolumeclaim/data-redis-0 --timeout=60s > /dev/null
  local left; left=$(k get all,configmaps,ingresses,networkpolicies,poddisruptionbudgets,serviceaccounts,persistentvolumeclaims -o name |
    grep -vE '^configmap/kube-root-ca.crt$|^serviceaccount/default$|gateway-drill|^persistentvolumeclaim/(mails|webkiln-backup)$' || true)
  [ -z "$left" ] || { echo "left behind: $left" >&2; return 1; }
  kubectl delete namespace $namespace > /dev/null
  kubectl delete pv webkiln-drill-{mongodb,nats,redis,mails,backup} > /dev/null
  say "nothing is left behind"
}

for part in $parts; do say "$part"; "${part//-/_}"; done
say "the drill held"

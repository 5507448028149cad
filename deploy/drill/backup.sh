# A part of deploy/drill.sh.

# The runbook of docs/backup.md: a backup, everything dropped, the restore, and clients and keys as they were.
backup() {
  local from before; before=$(WEBKILN_TEST_PLATFORM=$(facts) toolchain test/drill/stored-clients.ts)
  from=$SECONDS
  k create job --from=cronjob/webkiln-backup backup > /dev/null
  k wait --for=condition=complete job/backup --timeout=300s > /dev/null
  local name; name=$(k logs job/backup | sed -n 's#.* to /backup/\([^ ]*Z\)\.$#\1#p')
  say "backup $name after $((SECONDS - from)) s"
  from=$SECONDS
  k scale deployment -l app.kubernetes.io/part-of=webkiln --replicas=0 > /dev/null
  k wait --for=delete pod -l app.kubernetes.io/part-of=webkiln,app.kubernetes.io/component=process --timeout=120s > /dev/null
  k create job restore --from=cronjob/webkiln-backup --dry-run=client -o json |
    kubectl patch --local -f - --type=json -o json -p '[
      {"op": "replace", "path": "/spec/template/spec/containers/0/args", "value": ["restore", "--from", "/backup/'"$name"'", "--replace", "--confirm", "webkiln"]},
      {"op": "replace", "path": "/spec/template/spec/containers/0/envFrom/1/secretRef/name", "value": "webkiln-restore"},
      {"op": "replace", "path": "/spec/backoffLimit", "value": 0},
      {"op": "remove", "path": "/metadata/ownerReferences"}
    ]' | k create -f - > /dev/null
  k wait --for=condition=complete job/restore --timeout=300s > /dev/null
  k logs job/restore | tail -4
  k delete job backup restore > /dev/null
  k scale deployment -l app.kubernetes.io/part-of=webkiln --replicas=1 > /dev/null
  ready
  say "dropped, restored and ready after $((SECONDS - from)) s: $(WEBKILN_TEST_PLATFORM=$(facts) toolchain test/drill/stored-clients.ts "$before")"
}

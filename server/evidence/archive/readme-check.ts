// The programs in README.txt of an archive: each is cut out of the text with sed and run by sh or by Python without packages.

/** For sh and openssl: every signed head of the log has a signature by a key in data/keys/vkeys.txt. */
export const signaturesScript = String.raw`
# BEGIN signatures
dir=$(mktemp -d)
for note in data/proofs/*.checkpoint data/proofs/other/*.checkpoint; do
  test -f "$note" || continue
  name=$(head -n 1 "$note")
  sed '/^$/,$d' "$note" > "$dir/text"
  sed '1,/^$/d' "$note" | grep -F " $name " | sed 's/.* //' | base64 -d | tail -c 64 > "$dir/sig"
  signed=no
  for key in $(grep -F "$name+" data/keys/vkeys.txt | sed 's/^[^+]*+[^+]*+//'); do
    printf '\060\052\060\005\006\003\053\145\160\003\041\000' > "$dir/key"
    printf %s "$key" | base64 -d | tail -c 32 >> "$dir/key"
    openssl pkeyutl -verify -pubin -keyform DER -inkey "$dir/key" -rawin -in "$dir/text" \
      -sigfile "$dir/sig" > "$dir/out" 2>&1 && signed=yes
  done
  echo "$note: signed: $signed"
  test "$signed" = yes || exit 1
done
# END signatures
`

/** For sh and openssl: the signature in the Sigstore bundle, over the encoding of DSSE. */
export const sigstoreScript = String.raw`
# BEGIN sigstore
dir=$(mktemp -d)
sed 's/.*"payload":"\([^"]*\)".*/\1/' seal/bundle.sigstore.json | base64 -d > "$dir/payload"
sed 's/.*"sig":"\([^"]*\)".*/\1/' seal/bundle.sigstore.json | base64 -d > "$dir/sig"
printf 'DSSEv1 28 application/vnd.in-toto+json %s ' "$(wc -c < "$dir/payload" | tr -d ' ')" > "$dir/signed"
cat "$dir/payload" >> "$dir/signed"
openssl pkeyutl -verify -pubin -inkey seal/seal.pub.pem -rawin -in "$dir/signed" -sigfile "$dir/sig" || exit 1
for path in manifest.json tagmanifest-sha256.txt; do
  grep -qF "\"$path\",\"digest\":{\"sha256\":\"$(sha256sum < $path | cut -c 1-64)\"" "$dir/payload" || exit 1
done
key=$(openssl pkey -pubin -in seal/seal.pub.pem -outform DER | sha256sum | cut -c 1-64)
text() { base64 < "$1" | tr -d '\n'; }
bundle() {
  printf '{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json",'
  printf '"verificationMaterial":{"publicKey":{"hint":"sha256:%s"}},' "$key"
  printf '"dsseEnvelope":{"payload":"%s",' "$(text "$dir/payload")"
  printf '"payloadType":"application/vnd.in-toto+json","signatures":[{"sig":"%s","keyid":""}]}}\n' "$(text "$dir/sig")"
}
[ "$(bundle | sha256sum)" = "$(sha256sum < seal/bundle.sigstore.json)" ] || exit 1
# END sigstore
`

/** For Python 3.6 or later: records, leaves, roots, the log of closed days, rows, spans, and traces. */
export const recordsScript = String.raw`
# BEGIN records
import base64, calendar, glob, hashlib, json, os, sys, time
class Number(str): pass          # numbers keep their spelling
def sha(data): return hashlib.sha256(data).digest()
def node(left, right): return sha(b"\1" + left + right)
def need(true, what): true or sys.exit("FAILS: " + what)
def once(members):               # else programs that take the first read something else
    need(len(dict(members)) == len(members), "two members of one name: " + ", ".join(name for name, _ in members))
    return dict(members)
def load(line): return json.loads(line, parse_int=Number, parse_float=Number, object_pairs_hook=once)
def jcs(value):                  # RFC 8785
    if isinstance(value, Number): return str(value)
    if isinstance(value, list): return "[" + ",".join(map(jcs, value)) + "]"
    if not isinstance(value, dict): return json.dumps(value, ensure_ascii=False)
    names = sorted(value, key=lambda name: name.encode("utf-16-be"))
    return "{" + ",".join(jcs(name) + ":" + jcs(value[name]) for name in names) + "}"
def root(leaves):                # RFC 6962, 2.1
    stack = []
    for index, leaf in enumerate(leaves):
        while index & 1: leaf = node(stack.pop(), leaf); index >>= 1
        stack.append(leaf)
    while len(stack) > 1: last = stack.pop(); stack[-1] = node(stack[-1], last)
    return stack[0] if stack else sha(b"")
def climb(index, size, leaf, path):   # RFC 9162, 2.1.3.2
    last = size - 1
    for other in path:
        if index & 1 or index == last:
            leaf = node(other, leaf)
            while index and not index & 1: index >>= 1; last >>= 1
        else: leaf = node(leaf, other)
        index >>= 1; last >>= 1
    return leaf if last == 0 and index == 0 else None
def read(path): return open(path, encoding="utf-8", newline="\n").read()
def head(note):                  # text, size and root of a checkpoint
    text = note[:note.rindex("\n\n") + 1]; lines = text.split("\n")
    return text, int(lines[1]), base64.b64decode(lines[2])
def lines(path): return map(load, read(path).split("\n")[:-1]) if os.path.exists(path) else []
def hashed(row, date):           # the leaf of a record
    leaf, record = row["leaf"], row["record"]
    digest = sha(b"agcp.audit.record.v1\n" + bytes.fromhex(row["nonce"]) + jcs(record).encode())
    same = leaf["digest"] == "sha256:" + digest.hex() and leaf["auditId"] == record["auditId"]
    need(same and leaf["date"] == date, "record " + record["auditId"])
    return sha(b"\0" + jcs(leaf).encode())
asof = load(read("manifest.json")).get("rows", {}).get("asOf")
newest = {}                      # of each object, up to when the rows were read
requests = {}                    # the root of each telemetry request
def commits(row, date, seq):
    if row["record"]["action"] == "telemetry.received": requests[row["record"]["auditId"]] = row["record"]["details"]["root"]
    sizes = {day["date"]: int(day["size"]) for day in asof or []}
    if not asof or not (seq < sizes[date] if date in sizes else date < min(sizes)): return
    for state in row["record"].get("states", []):
        key = state["type"], state["id"]
        if key not in newest or int(newest[key]["revision"]) < int(state["revision"]): newest[key] = state
def sealed(date, text, name):    # the day's place in the log of closed days
    proof, note = read(name + ".seal.tlog-proof").split("\n\n", 1)
    (closed, count, top), lines = head(note), proof.split("\n")
    path = [base64.b64decode(line) for line in lines[2:]]
    need(climb(int(lines[1][6:]), count, sha(b"\0" + text.encode()), path) == top, date + ": the seal")
    need(closed == head(read("data/proofs/seals.checkpoint"))[0], date + ": the log of closed days")
    print(date, "is", lines[1], "of", count, "closed days: OK")
for path in sorted(glob.glob("data/proofs/[0-9]*.checkpoint")):
    date = os.path.basename(path)[:10]
    text, size, signed = head(read(path))
    data = open("data/proofs/" + date + ".leaves", "rb").read()
    leaves = [data[at:at + 32] for at in range(0, len(data), 32)]
    need(len(leaves) == size and root(leaves) == signed, date + ": the leaves")
    records = 0
    for row in lines("data/audit/" + date + ".ndjson"):
        seq = int(row["leaf"]["seq"]); records += 1
        need(leaves[seq] == hashed(row, date), "leaf " + row["leaf"]["auditId"])
        commits(row, date, seq)
    print(date, records, "records,", size, "leaves: OK")
    if os.path.exists("data/proofs/" + date + ".seal.tlog-proof"): sealed(date, text, "data/proofs/" + date)
others = set()
for row in lines("data/other-records.ndjson"):
    date, seq = row["leaf"]["date"], int(row["leaf"]["seq"]); name = "data/proofs/other/" + date
    text, size, signed = head(read(name + ".checkpoint"))
    path = [base64.b64decode(one) for one in row["path"]]
    need(climb(seq, size, hashed(row, date), path) == signed, "record " + row["leaf"]["auditId"])
    commits(row, date, seq)
    if date not in others and os.path.exists(name + ".seal.tlog-proof"): sealed(date, text, name)
    others.add(date)
count = 0
for path in sorted(glob.glob("data/*.ndjson")):
    for row in lines(path):
        if "bound" not in row: continue
        bound, state = row["bound"], row["state"]; key = bound["type"], bound["id"]
        salt = base64.urlsafe_b64decode(bound["salt"] + "=")
        digest = "sha256:" + sha(b"agcp.state.v1\n" + salt + jcs(state).encode()).hex()
        last = newest.get(key, {})
        need(last.get("revision") == bound["revision"] and last["digest"] == digest, "the row of %s %s" % key)
        for name, one in row.get("values", {}).items():
            opened = base64.urlsafe_b64encode(sha(jcs([one["salt"], one["value"]]).encode()))
            need(state[name] == opened.decode().rstrip("="), name + " of %s %s" % key)
        count += 1
print(count, "rows are as the log commits to them: OK")
def provable(attributes): return [[one["key"], {"sd": one["sd"]} if "sd" in one else one.get("value")] for one in attributes]
def gone(attributes): return any("erased" in one and "value" not in one and "sd" not in one for one in attributes)
def micros(text): return Number(calendar.timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")) * 1000000 + int(text[20:26]))
proved = left = 0
for path in sorted(glob.glob("data/traces/*.spans.ndjson")):
    leaves, resources = {}, {}
    for row in lines(path.replace(".spans.", ".batches.")):
        leaves[row["auditId"]] = [bytes.fromhex(leaf) for leaf in row["leaves"]]
        need("sha256:" + root(leaves[row["auditId"]]).hex() == requests.get(row["auditId"]), "request " + row["auditId"])
    for row in lines(path.replace(".spans.", ".resources.")): resources[row["auditId"], row["resourceIndex"]] = row["attributes"]
    for span in lines(path) if leaves else []:
        if span["origin"] == "execution": left += 1; continue
        own = resources[span["auditId"], span["resourceIndex"]] if span["resourceIndex"] else None
        events, links = span["events"], span["links"]
        if any(map(gone, [span["attributes"], own or []] + [one["attributes"] for one in events + links])): left += 1; continue
        leaf = [span[name] for name in ("traceId", "spanId", "parentSpanId", "name", "kind", "status")]
        leaf += [micros(span["startedAt"]), micros(span["endedAt"]), provable(span["attributes"])]
        leaf += [[[one["name"], one["at"], provable(one["attributes"])] for one in events]]
        leaf += [sorted(map(list, span["facts"].items()), key=lambda one: one[0].encode("utf-16-be"))]
        if links or own is not None:
            leaf += [[[one["traceId"], one["spanId"], provable(one["attributes"])] for one in links]]
            leaf += [own and sha(jcs(["agcp.resource.v1", provable(own)]).encode()).hex()]
        leaf = ["agcp.span.v2" if len(leaf) > 11 else "agcp.span.v1"] + leaf
        need(leaves[span["auditId"]][int(span["batchIndex"])] == sha(b"\0" + jcs(leaf).encode()), "span " + span["spanId"])
        proved += 1
print(proved, "spans of telemetry are as the log commits to them,", left, "can't be compared: OK")
listed, period = {}, load(read("manifest.json"))["period"]
first, end = [int(micros(period[name][:23] + "000Z")) for name in ("start", "end")]
def listing(span):               # what the list of traces says of it
    start, ended = int(micros(span["startedAt"])), span["endedAt"] and int(micros(span["endedAt"]))
    if not first <= start < end: return
    one = listed.setdefault(span["traceId"], [0, start, 0])
    one[:] = one[0] + 1, min(one[1], start), None if None in (ended, one[2]) else max(one[2], ended)
for row in lines("data/execution-spans.ndjson"): listing(row.get("state", row))
for path in glob.glob("data/traces/*.spans.ndjson"):
    for span in lines(path): listing(span)
for row in lines("data/traces.ndjson"):
    ended = row["endedAt"] and int(micros(row["endedAt"]))
    need([int(row["spans"]), int(micros(row["startedAt"])), ended] == listed.pop(row["traceId"], 0), "trace " + row["traceId"])
need(not listed, "the list of traces")
print("The traces are what their spans say: OK")
# END records
`

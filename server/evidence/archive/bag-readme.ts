import { demoMark } from '#lib/verify/demo.ts'
import { recordsScript, signaturesScript, sigstoreScript } from './readme-check.ts'

/**
 * README.txt of an archive: how to check everything in it with sha256sum, openssl, sh and Python alone, and what each check
 * proves. ASCII; the text has 80 columns. `demo`: the archive is that of a demo tenant.
 */
export function bagReadme(exportId: string, { demo = false } = {}): string {
  return `Evidence archive ${exportId}${demo ? `\n${demoMark} Not evidence of real events.` : ''}
Format: evidence-room-bundle-v1, format version 2, a BagIt 1.0 bag (RFC 8493)

The records are in data/. Everything else describes and seals them:

  manifest.json             the contents of the archive: every file below data/
                            with its size and SHA-256, and what was left out
                            and why
  seal/manifest.json.sig    the service's Ed25519 signature of manifest.json
  seal/tagmanifest-sha256.txt.sig   its signature of tagmanifest-sha256.txt
  seal/seal.pub.pem         the public key that belongs to these signatures
  manifest-sha256.txt       SHA-256 of every file below data/
  tagmanifest-sha256.txt    SHA-256 of the files that describe the archive
  seal/bundle.sigstore.json the same seal as a Sigstore bundle (DSSE, in-toto)
                            over manifest.json and tagmanifest-sha256.txt
  seal/manifest.json.tsr    if present: when manifest.json existed, signed by a
                            time-stamping authority (RFC 3161)
  bagit-profile.json        what a program for BagIt may demand of the archive
  data/report.html          the archive for people: what was asked, who decided
                            what and why, and what is left out
  verify.html               a page that runs all these checks and more in a
                            browser, without a connection
  verify.mjs                the same for a terminal: node verify.mjs <ZIP>
  data/proofs/              for each day: the signed checkpoint, all leaf
                            hashes, and its place in the signed log of closed
                            days (c2sp.org/tlog-checkpoint, c2sp.org/tlog-proof)
  data/other-records.ndjson records outside the period, or outside the scope,
                            that commit to rows in this archive: each with the
                            hashes that lead to the signed root of its day in
                            data/proofs/other/
  data/chain.json           the archive before this one, and the proof that the
                            log of this one continues it

HOW TO CHECK IT

Extract the ZIP, open a terminal in the folder evidence-room-${exportId}
and run the commands below. Nothing is sent anywhere. You need sha256sum (GNU
coreutils), openssl 3.0 or later and, for step 8, Python 3.

1. The files match the list.

   sha256sum -c manifest-sha256.txt

   Every line must end in OK. This proves that each file that
   manifest-sha256.txt lists is there and unchanged. It does not prove who wrote
   that list. A file below data/ that is not listed is not part of the evidence.

2. The descriptive files match their list.

   sha256sum -c tagmanifest-sha256.txt

   Every line must end in OK. This proves that README.txt, verify.html,
   verify.mjs, manifest.json, manifest-sha256.txt and the other descriptive
   files are the ones that tagmanifest-sha256.txt lists. It does not prove who
   wrote them.

3. The manifest was sealed by the holder of the key.

   openssl pkeyutl -verify -pubin -inkey seal/seal.pub.pem -rawin -in manifest.json -sigfile seal/manifest.json.sig

   It must print "Signature Verified Successfully". This proves that the holder
   of the private key for seal/seal.pub.pem signed exactly this manifest.json.

4. The seal covers the list of step 1.

   grep -cF "\\"payloadManifestSha256\\":\\"$(sha256sum < manifest-sha256.txt | cut -c 1-64)\\"" manifest.json

   It must print 1. The signature is over manifest.json, and manifest.json names
   the SHA-256 of manifest-sha256.txt, which names every file below data/.
   Without this step someone could change a record and both lists, and steps 1
   to 3 would still pass.

5. The same key signed the list of step 2.

   openssl pkeyutl -verify -pubin -inkey seal/seal.pub.pem -rawin -in tagmanifest-sha256.txt -sigfile seal/tagmanifest-sha256.txt.sig

   It must print "Signature Verified Successfully". Without this step someone
   could change this text or verify.html together with their list.

6. The key belongs to the service.

   openssl pkey -pubin -in seal/seal.pub.pem -outform DER | sha256sum

   Compare the result with the fingerprint that the service publishes, in
   /.well-known/countersign/<external id>/log-keys.json. Get it from the
   service itself or from someone you trust, not from this ZIP: anyone who
   forges an archive can put their own key into it. Without this comparison
   the steps above prove only that the archive is consistent. In log-keys.json
   each key was signed by its predecessor, so an older fingerprint that you
   know is enough.

7. The heads of the log are signed by the service's log keys.

   sed -n '/^# BEGIN signatures$/,/^# END signatures$/p' README.txt | sh

   Every line must end in "signed: yes". A checkpoint is text: the name of the
   log, its number of leaves, the root of its tree in base64. The signature is
   over that text with its last newline; data/keys/vkeys.txt has the keys as
   name+id+base64 of the byte 1 and the 32 bytes of the key. Further signatures
   below a checkpoint are those of witnesses (c2sp.org/tlog-cosignature), who
   sign heads of closed days. With a witness's key, from the witness itself,
   verify.html and verify.mjs (--witness) check them: then you know that
   another organisation saw this log, up to that head.

8. Every record is in the log of its day, closed days are in the log of closed
   days, and rows and spans are what the log says (step 10).

   sed -n '/^# BEGIN records$/,/^# END records$/p' README.txt | python3 -

   Every line must end in OK. In words: a line of data/audit/<date>.ndjson is
   {leaf, nonce, record}. leaf.digest is SHA-256 over "agcp.audit.record.v1",
   a newline, the 32 bytes of the nonce and the record as canonical JSON (RFC
   8785). SHA-256 over the byte 0 and the leaf as canonical JSON is number
   leaf.seq of the 32-byte hashes in data/proofs/<date>.leaves. The root of
   these hashes (RFC 6962) is the one in data/proofs/<date>.checkpoint. The
   text of that checkpoint is a leaf of the log of closed days; the
   .seal.tlog-proof has its number and the hashes that lead from it to the
   root in data/proofs/seals.checkpoint, which is one for all days here and in
   data/proofs/other/. A record has the time at which its act was done, and its
   place when it was written, at most ten minutes later: a day's first records
   may be from before midnight, and times may be slightly out of order.

9. Nothing is missing silently. Every day from the beginning of the period to
   its end has its files. Each record that creates an object
   (approval.requested, approval.approve, approval.reject, execution.started,
   agent.registered, release.proposed, policy_version.published,
   policy_binding.proposed, policy.evaluated, policy.approval_requested,
   file.stored, input.submitted, input.requested, member.created,
   member.invited) has that object in data/*.ndjson, or a line in
   data/omissions.ndjson with the reason. verify.html and verify.mjs check this.

10. Rows are what the log says. A row {state, bound} is the object after the
    record whose "states" have its type, id and revision. The digest there is
    SHA-256 over "agcp.state.v1", a newline, the salt (base64url, in bound) and
    state as canonical JSON. No later record up to manifest.json's rows.asOf
    (the number of records of each open day when the rows were read) has a
    higher revision. Members of state that are names, free text or content are
    commitments; "values" opens them: base64url of SHA-256 over [salt, value]
    as canonical JSON is the member of state. "shown" and "contentGone" are
    under the seal only. Step 8 checks this for each row. Each object that a
    record of the period commits to has its row, unless the record says that it
    was deleted (digest null) or data/omissions.ndjson lists it; verify.html
    and verify.mjs check that, too. Records also commit to kinds of objects
    that no archive contains, such as legal holds and approver groups. In an
    archive with raw payloads, base64url of SHA-256 over [salt, value] of each
    line in data/raw, as canonical JSON, is an "sd" of the span or resource
    that it names. A row without bound is under the seal only: it was written
    before the service committed to rows, or its state contains a digest that
    could be guessed from and is not shown.

11. A decision that was confirmed with a passkey has "confirmation". SHA-256
    over it as canonical JSON is details.confirmation of the record with the
    vote's auditId. SHA-256 over confirmation.bound as canonical JSON, in
    base64url, is the challenge in clientDataJSON. The signature is over
    authenticatorData and SHA-256 of clientDataJSON, by publicKey (a COSE key,
    RFC 9053).

12. The Sigstore bundle has the same seal for programs that read that format.

   sed -n '/^# BEGIN sigstore$/,/^# END sigstore$/p' README.txt | sh

   It must print "Signature Verified Successfully".

13. If seal/manifest.json.tsr is present, an authority that is not the service
    signed when manifest.json existed. With that authority's certificate:

    openssl ts -verify -data manifest.json -in seal/manifest.json.tsr -CAfile authority.pem

If one step fails, do not rely on the archive. Request a new export.

A SINGLE SPAN

  data/traces/<day>.spans.ndjson      what agents did, a line for each span
  data/traces/<day>.resources.ndjson  how the exporter describes itself: the
                                      line with the span's auditId and
                                      resourceIndex
  data/traces/<day>.batches.ndjson    with proofs: for each request that brought
                                      spans, the leaf hashes of its tree

  data/traces.ndjson                  for each trace, from these spans and those
                                      in data/execution-spans.ndjson that began
                                      in the period: how many, the first start
                                      and the last end (null: one is open)

A span with an auditId was received as telemetry. Its leaf is SHA-256 over the
byte 0 and this JSON array, without whitespace (step 8 computes it):

   ["agcp.span.v2", traceId, spanId, parentSpanId, name, kind, status, start,
    end, attributes, events, facts, links, resource]

start and end are microseconds since 1970. An attribute is [key,value], one
whose value is sensitive [key,{"sd":sd}]. An event is [name,at,attributes], a
link [traceId,spanId,attributes]. facts are [name,value], sorted. resource is
null, or SHA-256 in hex of ["agcp.resource.v1",attributes]. A span without links
and resource is "agcp.span.v1" and ends after the facts.

The leaf is number batchIndex of the batch with its auditId. The root of these
leaves (RFC 6962) is details.root of the record with that auditId in data/audit,
which the log of the day proves. A span of an execution is a row (step 10) in
data/execution-spans.ndjson. If it is in data/traces, it is older than that and
under the seal only; the records of its execution in data/audit describe it.

THE PROGRAMS OF STEPS 7, 8 AND 12
${signaturesScript}${recordsScript}${sigstoreScript}`
}

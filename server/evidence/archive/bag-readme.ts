/** README.txt of a bag: how to check it with sha256sum and openssl alone, and what each check proves. ASCII, 78 columns. */
export function bagReadme(exportId: string): string {
  return `Evidence room bundle ${exportId}
Format: evidence-room-bundle-v1, a BagIt 1.0 bag (RFC 8493)

The records are in data/. Everything else describes and seals them:

  manifest.json             the contents of the bundle: every file below data/
                            with its size and SHA-256, and what was left out
                            and why
  seal/manifest.json.sig    the service's Ed25519 signature of manifest.json
  seal/seal.pub.pem         the public key that belongs to that signature
  manifest-sha256.txt       SHA-256 of every file below data/
  tagmanifest-sha256.txt    SHA-256 of the files that describe the bundle
  seal/bundle.sigstore.json the same seal as a Sigstore bundle (DSSE, in-toto)
                            over manifest.json and tagmanifest-sha256.txt
  verify.html               a page that runs all these checks and those of the
                            audit log in a browser, without a connection
  verify.mjs                the same for a terminal: node verify.mjs <ZIP>
  data/proofs/              for each day: the signed checkpoint, all leaf hashes,
                            and its place in the signed log of closed days
                            (c2sp.org/tlog-checkpoint, c2sp.org/tlog-proof)

HOW TO CHECK IT

Extract the ZIP, open a terminal in the folder evidence-room-${exportId}
and run the commands below. Nothing is sent anywhere. You need sha256sum (GNU
coreutils) and openssl 3.0 or later.

1. The files match the list.

   sha256sum -c manifest-sha256.txt

   Every line must end in OK. This proves that each file that
   manifest-sha256.txt lists is there and unchanged. It does not prove who wrote
   that list. A file below data/ that is not listed is not part of the evidence.

2. The descriptive files match their list.

   sha256sum -c tagmanifest-sha256.txt

   Every line must end in OK. This proves that manifest.json,
   manifest-sha256.txt and the other descriptive files are the ones that
   tagmanifest-sha256.txt lists. It does not prove who wrote them.

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

5. The key belongs to the service.

   openssl pkey -pubin -in seal/seal.pub.pem -outform DER | sha256sum

   Compare the result with the fingerprint that the service publishes. Get that
   fingerprint from the service itself or from someone you trust, not from this
   ZIP: anyone who forges a bundle can put their own key into it. Without this
   comparison the steps above prove only that the bundle is consistent.

If one step fails, do not rely on the bundle. Request a new export.

A SINGLE SPAN

  data/traces/<day>.spans.ndjson      what agents did, a line for each span
  data/traces/<day>.resources.ndjson  how the exporter describes itself: the line
                                      with the span's auditId, resourceIndex
  data/traces/<day>.batches.ndjson    with proofs: for each request that brought
                                      spans, the leaf hashes of its tree

A span with an auditId was received as telemetry. Its leaf is SHA-256 over the
byte 0 and this JSON array, without whitespace:

   ["agcp.span.v2", traceId, spanId, parentSpanId, name, kind, status, start,
    end, attributes, events, facts, links, resource]

start and end are microseconds since 1970. An attribute is [key,value], one
whose value is sensitive [key,{"sd":sd}]. An event is [name,at,attributes], a
link [traceId,spanId,attributes]. facts are [name,value], sorted. resource is
null, or SHA-256 in hex of ["agcp.resource.v1",attributes]. A span without links
and resource is "agcp.span.v1" and ends after the facts.

The leaf is number batchIndex of the batch with its auditId. The root of these
leaves (RFC 6962) is details.root of the record with that auditId in data/audit,
which the log of the day proves. Spans without an auditId were recorded by an
execution: the records of that execution in data/audit describe it.
`
}

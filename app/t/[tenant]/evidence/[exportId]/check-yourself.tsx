'use client'

import { useSession } from '#components/session/session-provider.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { verifyPath } from '#lib/paths.ts'
import { useManifest } from './use-export.ts'

/** The commands that verify the archive without this service. They are the same as in its README.txt. */
export function CheckYourself({ exportId, archiveName }: { exportId: string; archiveName: string }) {
  const { can } = useSession()
  const fingerprint = useManifest(exportId, can('evidence:read')).data?.signer.fingerprint
  return (
    <>
      <p className="max-w-[75ch] text-ink-2">
        You don’t have to trust this page. If sha256sum and OpenSSL 3 are installed, these commands verify the archive
        offline. You can also open verify.html in the archive, or use the page{' '}
        <a href={verifyPath()} className="text-link">
          Verify an evidence archive
        </a>
        , which doesn’t upload the file.
      </p>
      <ol className="flex flex-col border-line border-b">
        {stepsFor(exportId, archiveName).map(({ command, proves }, index) => (
          <li key={command} className="grid grid-cols-[1.25rem_minmax(0,1fr)] border-line border-t py-1.5">
            <span aria-hidden="true" className="text-ink-2">
              {index + 1}
            </span>
            <div className="flex min-w-0 flex-col">
              <Copyable value={command} label={`command ${index + 1}`} />
              <span className="text-dense text-ink-2">{proves}</span>
            </div>
          </li>
        ))}
      </ol>
      {fingerprint !== undefined && (
        <p className="flex flex-wrap items-center gap-x-1.5">
          Fingerprint of this service’s key, as reported by the service:
          <Copyable value={fingerprint.replace(/^sha256:/, '')} label="key fingerprint" />
        </p>
      )}
    </>
  )
}

const stepsFor = (exportId: string, archiveName: string): { command: string; proves: string }[] => [
  { command: `unzip ${archiveName} && cd evidence-room-${exportId}`, proves: 'Unpacks the archive.' },
  {
    command: 'sha256sum -c manifest-sha256.txt',
    proves: 'Every line must end in OK: the files below data/ are unchanged.',
  },
  {
    command: 'sha256sum -c tagmanifest-sha256.txt',
    proves: 'Every line must end in OK: the files that describe the archive are unchanged.',
  },
  {
    command:
      'openssl pkeyutl -verify -pubin -inkey seal/seal.pub.pem -rawin -in manifest.json -sigfile seal/manifest.json.sig',
    proves: 'Must print “Signature Verified Successfully”: the holder of the key signed exactly this manifest.json.',
  },
  {
    command:
      'grep -cF "\\"payloadManifestSha256\\":\\"$(sha256sum < manifest-sha256.txt | cut -c 1-64)\\"" manifest.json',
    proves: 'Must print 1: the seal covers the list of the files below data/.',
  },
  {
    command: 'openssl pkey -pubin -in seal/seal.pub.pem -outform DER | sha256sum',
    proves: 'Prints the fingerprint of the key. Compare it with the one below.',
  },
]

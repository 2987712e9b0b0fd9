'use client'

import { useSession } from '#components/session/session-provider.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { verifyPath } from '#lib/paths.ts'
import { useManifest } from './use-export.ts'

/** The commands that check the archive without this service. The same as in its README.txt. */
export function CheckYourself({ exportId, archiveName }: { exportId: string; archiveName: string }) {
  const { can } = useSession()
  const fingerprint = useManifest(exportId, can('evidence:read')).data?.signer.fingerprint
  return (
    <>
      <p className="max-w-[75ch] text-ink-2">
        Nobody has to trust this page. Where sha256sum and openssl 3 are installed, these commands check the archive
        without a connection. So does verify.html in the archive, and{' '}
        <a href={verifyPath()} className="text-link">
          the page Verify an evidence bundle
        </a>
        , which uploads nothing.
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
          This service says that its key has the fingerprint
          <Copyable value={fingerprint.replace(/^sha256:/, '')} label="key fingerprint" />
        </p>
      )}
    </>
  )
}

const stepsFor = (exportId: string, archiveName: string): { command: string; proves: string }[] => [
  { command: `unzip ${archiveName} && cd evidence-room-${exportId}`, proves: 'Unpacks it.' },
  { command: 'sha256sum -c manifest-sha256.txt', proves: 'Every line ends in OK: each record file is unchanged.' },
  {
    command: 'sha256sum -c tagmanifest-sha256.txt',
    proves: 'Every line ends in OK: the description belongs together.',
  },
  {
    command:
      'openssl pkeyutl -verify -pubin -inkey seal/seal.pub.pem -rawin -in manifest.json -sigfile seal/manifest.json.sig',
    proves: 'Prints “Signature Verified Successfully”: the holder of the key sealed exactly this manifest.',
  },
  {
    command:
      'grep -cF "\\"payloadManifestSha256\\":\\"$(sha256sum < manifest-sha256.txt | cut -c 1-64)\\"" manifest.json',
    proves: 'Prints 1: the seal covers the list of the second command.',
  },
  {
    command: 'openssl pkey -pubin -in seal/seal.pub.pem -outform DER | sha256sum',
    proves: 'Prints the key’s fingerprint: it must be the one that this service gives below.',
  },
]

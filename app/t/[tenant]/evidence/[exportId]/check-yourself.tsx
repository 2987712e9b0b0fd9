'use client'

import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/evidence-export/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { logKeysPath, verifyPath } from '#lib/paths.ts'

/** The commands that verify the archive without this service. They are the same as in its README.txt. */
export function CheckYourself({ exportId, archiveName }: { exportId: string; archiveName: string }) {
  const { tenant } = useSession()
  return (
    <>
      <p className="max-w-[75ch] text-ink-2">
        {t.youDontHaveTo({
          a: (content) => (
            <a href={verifyPath()} className="text-link">
              {content}
            </a>
          ),
        })}
      </p>
      <ol className="flex flex-col border-line border-b">
        {stepsFor(exportId, archiveName).map(({ command, proves }, index) => (
          <li key={command} className="grid grid-cols-[1.25rem_minmax(0,1fr)] border-line border-t py-1.5">
            <span aria-hidden="true" className="text-ink-2">
              {index + 1}
            </span>
            <div className="flex min-w-0 flex-col">
              <Copyable value={command} label={t.commandNumber({ number: String(index + 1) })} />
              <span className="text-dense text-ink-2">{proves}</span>
            </div>
          </li>
        ))}
      </ol>
      <p className="max-w-[75ch] text-ink-2">
        {t.fingerprintIsPublished({
          keys: (content) => (
            <a href={logKeysPath(tenant)} className="text-link">
              {content}
            </a>
          ),
        })}
      </p>
    </>
  )
}

const stepsFor = (exportId: string, archiveName: string): { command: string; proves: string }[] => [
  { command: `unzip ${archiveName} && cd evidence-room-${exportId}`, proves: t.unpacksArchive },
  {
    command: 'sha256sum -c manifest-sha256.txt',
    proves: t.everyLineMustEnd,
  },
  {
    command: 'sha256sum -c tagmanifest-sha256.txt',
    proves: t.everyLine,
  },
  {
    command:
      'openssl pkeyutl -verify -pubin -inkey seal/seal.pub.pem -rawin -in manifest.json -sigfile seal/manifest.json.sig',
    proves: t.mustPrintSignatureVerified,
  },
  {
    command:
      'grep -cF "\\"payloadManifestSha256\\":\\"$(sha256sum < manifest-sha256.txt | cut -c 1-64)\\"" manifest.json',
    proves: t.mustPrint1Seal,
  },
  {
    command:
      'openssl pkeyutl -verify -pubin -inkey seal/seal.pub.pem -rawin -in tagmanifest-sha256.txt -sigfile seal/tagmanifest-sha256.txt.sig',
    proves: t.mustPrintDescriptionVerified,
  },
  {
    command: 'openssl pkey -pubin -in seal/seal.pub.pem -outform DER | sha256sum',
    proves: t.printsFingerprintOfKey,
  },
]

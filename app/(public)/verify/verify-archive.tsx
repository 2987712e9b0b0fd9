'use client'

import { Copyable } from '#components/ui/controls/copyable.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { Seal } from '#components/ui/status/seal.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { ChooseFile } from './choose-file.tsx'
import { type Checking, useCheck } from './use-check.ts'

/** A bundle is chosen or dropped, and checked in this browser. */
export function VerifyArchive() {
  const { checking, check } = useCheck()
  return (
    <>
      <p>
        The archive is read in this browser and nowhere else: nothing is uploaded, and nobody has to sign in. Every file
        is hashed, the seal is checked, and each day’s log is climbed from its records to the signed root.
      </p>
      <ChooseFile chosen={checking?.name} onFile={check} />
      <div role="status" className="flex flex-col gap-3">
        {checking && <Outcome checking={checking} />}
      </div>
    </>
  )
}

function Outcome({ checking: { name, share, checks, report, failed } }: { checking: Checking }) {
  return (
    <>
      <p className="font-semibold">
        {report === undefined ? (
          <span className="wrap-anywhere">
            {failed === undefined ? 'Checking' : 'Stopped at'} <ShownText>{name}</ShownText>
            {/* Seen, not read out: each tenth of a second would be another sentence. */}
            {failed === undefined && share > 0 && <span aria-hidden="true">, {Math.floor(share * 100)} % read</span>}
          </span>
        ) : report.ok ? (
          <Seal state="verified" label="Everything agrees." />
        ) : (
          <Seal state="mismatch" label="This bundle does not hold. Do not rely on it; ask for a new export." />
        )}
      </p>
      {failed !== undefined && (
        <ErrorPanel
          title="The check did not run."
          effect={`${failed} It says nothing about the bundle.`}
          advice="Load the page again, or use verify.html in the archive."
        />
      )}
      <ul className={checks.length === 0 ? undefined : 'border-line border-b'}>
        {checks.map(({ name: what, ok, detail }) => (
          <li key={what} className="flex flex-col gap-x-3 border-line border-t py-1.5">
            <StatusShape status={ok ? 'approved' : 'failed'} label={what} />
            <span className="wrap-anywhere">
              <ShownText>{detail}</ShownText>
            </span>
          </li>
        ))}
      </ul>
      {report?.ok === true && report.fingerprint !== undefined && (
        <p>
          So far the bundle agrees with itself. Its key has the fingerprint{' '}
          <Copyable value={report.fingerprint} label="key fingerprint" />. Compare it with the one that the service
          publishes on the page of the export: whoever forges a bundle can put a key of their own into it.
        </p>
      )}
    </>
  )
}

'use client'

import { Copyable } from '#components/ui/controls/copyable.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { Seal } from '#components/ui/status/seal.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { ChooseFile } from './choose-file.tsx'
import { type Checking, useCheck } from './use-check.ts'

/** Checks a chosen or dropped archive in this browser. */
export function VerifyArchive() {
  const { checking, check } = useCheck()
  return (
    <>
      <p>
        The archive is read only in this browser: it isn’t uploaded, and you don’t need to sign in. The check hashes
        every file, verifies the seal, and recomputes each day’s log from its records to the signed root.
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
            {/* Hidden from screen readers, which would read out every update. */}
            {failed === undefined && share > 0 && <span aria-hidden="true">, {Math.floor(share * 100)} % read</span>}
          </span>
        ) : report.ok ? (
          <Seal state="verified" label="All checks passed." />
        ) : (
          <Seal state="mismatch" label="This archive is not valid. Do not rely on it. Request a new export." />
        )}
      </p>
      {failed !== undefined && (
        <ErrorPanel
          title="The check did not run."
          effect={`${failed} This doesn’t mean that the archive is invalid.`}
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
          The archive is consistent in itself. Its key has the fingerprint{' '}
          <Copyable value={report.fingerprint} label="key fingerprint" />. Compare it with the fingerprint that the
          service publishes on the page of the export, because a forged archive can contain the forger’s key.
        </p>
      )}
    </>
  )
}

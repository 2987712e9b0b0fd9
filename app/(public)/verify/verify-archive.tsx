'use client'

import { useState } from 'react'
import { Button } from '#components/ui/controls/button.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { Seal, type SealState } from '#components/ui/status/seal.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { type Report, verdictNames } from '#lib/verify/report.ts'
import { aboutLines, conclusionOf } from '#lib/verify/words.ts'
import { ChooseFile } from './choose-file.tsx'
import { type Checking, useCheck } from './use-check.ts'
import { Verdict } from './verdict.tsx'

/** Checks a chosen or dropped archive in this browser. */
export function VerifyArchive() {
  const { checking, check } = useCheck()
  const [typed, setTyped] = useState('')
  const fingerprint = typed.trim() === '' ? undefined : typed
  return (
    <>
      <p>
        The archive is read only in this browser: it isn’t uploaded, and you don’t need to sign in. This service is
        asked for its public keys and the newest state of its log, to compare them.
      </p>
      <ChooseFile chosen={checking?.file.name} onFile={(file) => check({ file, fingerprint })} />
      <form
        className="flex flex-col items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (checking !== undefined) check({ file: checking.file, fingerprint })
        }}
      >
        <div className="w-full">
          <TextField
            label="Key fingerprint (optional)"
            hint="If you know the fingerprint of the service’s key from elsewhere, enter it here. Otherwise the archive is compared with the keys that this service publishes."
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            autoComplete="off"
            spellCheck={false}
            className="font-mono"
          />
        </div>
        {checking !== undefined && checking.fingerprint !== fingerprint && <Button type="submit">Check again</Button>}
      </form>
      <div className="flex flex-col gap-4">{checking && <Outcome checking={checking} />}</div>
    </>
  )
}

function Outcome({ checking: { file, share, about, checks, report, failed } }: { checking: Checking }) {
  return (
    <>
      <p role="status" className="font-semibold">
        {report !== undefined ? (
          <Seal state={sealOf(report)} label={conclusionOf(report)} />
        ) : (
          <span className="wrap-anywhere">
            {failed === undefined ? 'Checking' : 'Stopped at'} <ShownText>{file.name}</ShownText>
            {/* Hidden from screen readers, which would read out every update. */}
            {failed === undefined && share > 0 && <span aria-hidden="true">, {Math.floor(share * 100)} % read</span>}
          </span>
        )}
      </p>
      {failed !== undefined && (
        <ErrorPanel
          title="The check did not run."
          effect={`${failed} This doesn’t mean that the archive is invalid.`}
          advice="Load the page again, or use verify.html in the archive."
        />
      )}
      {about !== undefined && (
        <KeyValues>
          {aboutLines(about).map(([label, text]) => (
            <KeyValue key={label} name={label}>
              <ShownText>{text}</ShownText>
            </KeyValue>
          ))}
          {report?.fingerprint !== undefined && (
            <KeyValue name="Key fingerprint">
              <Copyable value={report.fingerprint} label="key fingerprint" />
            </KeyValue>
          )}
        </KeyValues>
      )}
      {checks.length > 0 && (
        <ul className="border-line border-b">
          {verdictNames.map((name) => (
            <Verdict
              key={name}
              name={name}
              state={report?.verdicts[name]}
              checks={checks.filter(({ verdict }) => verdict === name)}
            />
          ))}
        </ul>
      )}
    </>
  )
}

function sealOf({ verdicts, everything }: Report): SealState {
  if (Object.values(verdicts).includes('fails')) return 'mismatch'
  return everything ? 'verified' : 'sealed'
}

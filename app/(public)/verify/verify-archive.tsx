'use client'

import { useState } from 'react'
import * as t from '#components/texts/verify/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { KeyWords } from '#components/verify/key-words.tsx'
import { AboutArchive, Outcome, RecordLadder } from '#components/verify/outcome.tsx'
import { askedOf, given, nothingOutside, OutsideFields } from '#components/verify/outside-fields.tsx'
import { type Checking, useCheck } from '#components/verify/use-check.ts'
import { ChooseFile } from './choose-file.tsx'

/** What the reader compares an archive with, as far as it did not come with the archive. */
type Compared = {
  fingerprint: string | undefined
  adjacent: File | undefined
  authority: File | undefined
  witness: string | undefined
}
type Chosen = Compared & { file: File }

/** Checks a chosen or dropped archive in this browser. */
export function VerifyArchive() {
  const { checking, check } = useCheck<Chosen>()
  const [typed, setTyped] = useState('')
  const [outside, setOutside] = useState(nothingOutside)
  const compared: Compared = { fingerprint: given(typed), ...askedOf(outside) }
  return (
    <>
      <p>{t.intro}</p>
      <ChooseFile chosen={checking?.file.name} onFile={(file) => check({ ...compared, file })} />
      <form
        className="flex flex-col items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (checking !== undefined) check({ ...compared, file: checking.file })
        }}
      >
        <div className="flex w-full flex-col gap-3">
          <TextField
            label={t.fingerprint}
            hint={t.fingerprintHint}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            autoComplete="off"
            spellCheck={false}
            className="font-mono"
          />
          <OutsideFields value={outside} onChange={setOutside} />
        </div>
        {checking !== undefined && differs(checking, compared) && <Button type="submit">{t.checkAgain}</Button>}
      </form>
      <div className="flex flex-col gap-4">{checking && <Found checking={checking} />}</div>
    </>
  )
}

const differs = (checking: Compared, compared: Compared): boolean =>
  checking.fingerprint !== compared.fingerprint ||
  checking.adjacent !== compared.adjacent ||
  checking.authority !== compared.authority ||
  checking.witness !== compared.witness

function Found({ checking }: { checking: Checking<Chosen> }) {
  const { file, about, report, ladder } = checking
  return (
    <>
      {about !== undefined && <AboutArchive about={about} />}
      <Outcome checking={checking} name={file.name} level={2} />
      {report?.fingerprint !== undefined && (
        <section className="flex flex-col gap-2">
          <h2 className="text-base">{t.keyTitle}</h2>
          <KeyWords fingerprint={report.fingerprint}>{t.keyAbout}</KeyWords>
        </section>
      )}
      {ladder !== undefined && <RecordLadder ladder={ladder} />}
    </>
  )
}

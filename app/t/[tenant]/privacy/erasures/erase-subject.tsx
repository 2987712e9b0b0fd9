'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { ReasonField } from '#components/forms/reason-field.tsx'
import { whyNotReason } from '#components/forms/reason-rule.ts'
import * as t from '#components/texts/privacy/en.ts'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'

const shortest = 4
const longest = 320

/** Requests an erasure. It can't be undone, so the exact text is confirmed. */
export function EraseSubject({ onClose }: { onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const [subject, setSubject] = useState('')
  const [reason, setReason] = useState('')
  const [sure, setSure] = useState(false)
  const act = useAct({
    send: client.erasures.create.mutate,
    touches: ['erasures', 'audit'],
    onDone() {
      notice(t.erasureWasRequestedIts)
      onClose()
    },
  })
  const text = subject.trim()
  return (
    <ActDialog
      title={t.erasePersonsData}
      description={t.everyValueThatContains}
      label={t.erasePermanently}
      busyLabel={t.requestingErasure}
      missing={whyNotSubject() ?? whyNotReason(reason) ?? whyNotApart() ?? whyNotSure()}
      act={act}
      onRun={() => act.run({ subject: text, reason: reason.trim() })}
      onClose={onClose}
    >
      <TextField
        label={t.textThatIdentifiesPerson}
        hint={t.forExampleEMail}
        value={subject}
        onChange={(event) => {
          setSubject(event.target.value)
          setSure(false)
        }}
        autoComplete="off"
        readOnly={act.pending}
      />
      <ReasonField value={reason} onChange={setReason} hint={t.requiredStoredPermanentlySo} locked={act.pending} />
      <Checkbox label={t.iHaveCheckedText} checked={sure} onChange={setSure} locked={act.pending} />
    </ActDialog>
  )

  function whyNotSubject(): string | undefined {
    if (text.length < shortest) return t.enterAtLeastCharacters({ shortest })
    return text.length > longest ? t.enterAtMostCharacters({ longest }) : undefined
  }
  function whyNotApart(): string | undefined {
    return reason.toLowerCase().includes(text.toLowerCase()) ? t.reasonContainsTextTo : undefined
  }
  function whyNotSure(): string | undefined {
    return sure ? undefined : t.confirmThatYouHave
  }
}

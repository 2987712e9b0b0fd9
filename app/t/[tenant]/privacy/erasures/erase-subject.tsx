'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { ReasonField } from '#components/forms/reason-field.tsx'
import { whyNotReason } from '#components/forms/reason-rule.ts'
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
      notice('The erasure was requested. Its state is shown in the list.')
      onClose()
    },
  })
  const text = subject.trim()
  return (
    <ActDialog
      title="Erase a person’s data"
      description="Every value that contains this text, in upper or lower case, is removed permanently. Content under a legal hold stays, and content in progress is erased when it ends."
      label="Erase permanently"
      busyLabel="Requesting the erasure…"
      missing={whyNotSubject() ?? whyNotReason(reason) ?? whyNotApart() ?? whyNotSure()}
      act={act}
      onRun={() => act.run({ subject: text, reason: reason.trim() })}
      onClose={onClose}
    >
      <TextField
        label="Text that identifies the person"
        hint="For example an e-mail address or a customer number. Other spellings are not found. The text itself is deleted when the erasure has ended."
        value={subject}
        onChange={(event) => {
          setSubject(event.target.value)
          setSure(false)
        }}
        autoComplete="off"
        readOnly={act.pending}
      />
      <ReasonField
        value={reason}
        onChange={setReason}
        hint="Required. Stored permanently, so it must not name the person."
        locked={act.pending}
      />
      <Checkbox
        label="I have checked the text. The erasure can’t be undone."
        checked={sure}
        onChange={setSure}
        locked={act.pending}
      />
    </ActDialog>
  )

  function whyNotSubject(): string | undefined {
    if (text.length < shortest) return `Enter at least ${shortest} characters: a shorter text would match too much.`
    return text.length > longest ? `Enter at most ${longest} characters.` : undefined
  }
  function whyNotApart(): string | undefined {
    return reason.toLowerCase().includes(text.toLowerCase())
      ? 'The reason contains the text to erase. It is stored permanently, so describe the request without it.'
      : undefined
  }
  function whyNotSure(): string | undefined {
    return sure ? undefined : 'Confirm that you have checked the text.'
  }
}

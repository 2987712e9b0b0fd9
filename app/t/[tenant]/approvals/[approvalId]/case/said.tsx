'use client'

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Act } from '#components/api/use-act.ts'
import { NotDone } from '#components/forms/not-done.tsx'
import { whyNotReason } from '#components/forms/reason-rule.ts'
import { useStanding } from '#components/forms/use-standing.ts'
import * as t from '#components/texts/approval-case/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { TextArea } from '#components/ui/controls/text-field.tsx'
import type { InProgress } from '#components/ui/text/in-progress.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { limits } from '#lib/limits.ts'
import type { Approval } from '#lib/schemas/approvals.ts'

/** What a person said about the request, and when. */
export function Said({ by, at, text }: { by: string; at: string; text: string }) {
  return (
    <>
      <p className="text-dense text-ink-2">
        <ShownText>{by}</ShownText>, <Time at={at} show="relative" />
      </p>
      <p className="wrap-anywhere">
        <ShownText>{text}</ShownText>
      </p>
    </>
  )
}

/** A button that a form replaces while it is open. Closing the form returns the focus to the button. */
export function useReplaced() {
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const leave = () => {
    // The button is there again before it gets the focus, unless the person has moved it since.
    flushSync(() => setOpen(false))
    if (document.activeElement === document.body) button.current?.focus()
  }
  return { open, button, enter: () => setOpen(true), leave }
}

export type ReplacedProps = {
  shown: Approval
  form: ReturnType<typeof useReplaced>
  /** It is no longer possible: the button is removed, but an open form stays with what was written. */
  over: boolean
}

/** One text with a button, for what is stored in the audit record. */
type TextFormProps = {
  label: ReactNode
  hint: ReactNode
  button: string
  busy: InProgress
  /** As a sentence: "The question was not asked." */
  notDone: string
  act: Pick<Act<never>, 'pending' | 'failure'>
  send: (text: string) => void
  over?: boolean
  /** Whether the field contains something. */
  onWriting?: (writing: boolean) => void
  /** For a form that a button opened: it has the focus from the beginning. */
  leave?: () => void
}

export function TextForm({
  label,
  hint,
  button,
  busy,
  notDone,
  act,
  send,
  over = false,
  onWriting,
  leave,
}: TextFormProps) {
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const [failure, withdraw] = useStanding(act.failure)
  const opened = leave !== undefined
  useEffect(() => {
    if (opened) field.current?.focus()
  }, [opened])
  const empty = () => {
    setText('')
    onWriting?.(false)
  }
  return (
    <div className="flex w-full flex-col items-start gap-2">
      <div className="w-full">
        <TextArea
          ref={field}
          label={label}
          hint={hint}
          limit={limits.reason}
          value={text}
          readOnly={act.pending}
          rows={2}
          onChange={({ target }) => {
            setText(target.value)
            withdraw()
            onWriting?.(target.value !== '')
          }}
        />
      </div>
      {failure !== undefined && <NotDone failure={failure} title={notDone} ifUnknown={t.lookWhetherItIs} />}
      <div className="flex flex-wrap items-start gap-2">
        <Button
          onClick={() => send(text)}
          disabledReason={over ? t.noLongerPossible : whyNotReason(text) === undefined ? undefined : t.writeItFirst}
          busyLabel={act.pending ? busy : undefined}
        >
          {button}
        </Button>
        {(opened || over) && !act.pending && (
          <Button variant="quiet" onClick={leave ?? empty}>
            {t.notNow}
          </Button>
        )}
      </div>
    </div>
  )
}

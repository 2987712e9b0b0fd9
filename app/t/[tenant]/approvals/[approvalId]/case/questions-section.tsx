'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { type Act, useAct } from '#components/api/use-act.ts'
import { NotDone } from '#components/forms/not-done.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { TextArea } from '#components/ui/controls/text-field.tsx'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import type { InProgress } from '#components/ui/text/in-progress.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { limits } from '#lib/limits.ts'
import { whyNotReason } from '#lib/rules/reason.ts'
import type { Approval } from '#lib/schemas/approvals.ts'

type Question = Approval['questions'][number]

/** What reviewers asked about the request, and what those who made it answered. Both are on the record. */
export function QuestionsSection({ shown, expired }: { shown: Approval; expired: boolean }) {
  const { questions, status, blocked, mayAnswer } = shown
  const pending = status === 'pending' && !expired
  const mayAsk = pending && blocked === null
  if (questions.length === 0 && !mayAsk) return null
  return (
    <CustodySection title="Questions" note={noteOf(questions)}>
      {questions.length > 0 && (
        <ul className="flex flex-col border-line border-t">
          {questions.map((one) => (
            <li key={one.id} className="flex flex-col gap-1 border-line border-b py-2">
              <Said by={one.by.displayName} at={one.at} text={one.question} />
              {one.answer !== null ? (
                <div className="border-line-strong border-l-2 pl-3">
                  <Said by={one.answer.by.displayName} at={one.answer.at} text={one.answer.text} />
                </div>
              ) : pending && mayAnswer ? (
                <Answer shown={shown} question={one} />
              ) : (
                <p className="text-ink-2">{pending ? 'Not answered yet.' : 'It was not answered.'}</p>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayAsk && <Ask shown={shown} />}
    </CustodySection>
  )
}

function noteOf(questions: readonly Question[]): string | undefined {
  if (questions.length === 0) return undefined
  const open = questions.filter(({ answer }) => answer === null).length
  return open === 0 ? 'all answered' : `${open} of ${questions.length} not answered`
}

function Said({ by, at, text }: { by: string; at: string; text: string }) {
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

function Ask({ shown: { approvalId, requestedBy } }: { shown: Approval }) {
  const { client } = useApi()
  const [open, setOpen] = useState(false)
  const act = useAct({
    send: client.approvals.ask.mutate,
    touches: ['approvals'],
    onDone: () => setOpen(false),
  })
  if (!open)
    return (
      <div>
        <Button onClick={() => setOpen(true)}>Ask {requestedBy.displayName}…</Button>
      </div>
    )
  return (
    <TextForm
      label={`Your question to ${requestedBy.displayName}`}
      hint="It is stored in the audit record. The request expires at the same time as before."
      button="Ask"
      busy="Asking…"
      what="The question"
      done="asked"
      act={act}
      send={(question) => act.run({ approvalId, question })}
      leave={() => setOpen(false)}
    />
  )
}

function Answer({ shown: { approvalId }, question }: { shown: Approval; question: Question }) {
  const { client } = useApi()
  const act = useAct({ send: client.approvals.answer.mutate, touches: ['approvals'] })
  return (
    <TextForm
      label="Your answer"
      hint="It is stored in the audit record and can’t be changed."
      button="Answer"
      busy="Answering…"
      what="The answer"
      done="given"
      act={act}
      send={(answer) => act.run({ approvalId, questionId: question.id, answer })}
    />
  )
}

type TextFormProps = {
  label: string
  hint: string
  button: string
  busy: InProgress
  /** For "The question was not asked." */
  what: string
  done: string
  act: Pick<Act<never>, 'pending' | 'failure'>
  send: (text: string) => void
  leave?: () => void
}

function TextForm({ label, hint, button, busy, what, done, act, send, leave }: TextFormProps) {
  const [text, setText] = useState('')
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="w-full">
        <TextArea
          label={label}
          hint={hint}
          limit={limits.reason}
          value={text}
          readOnly={act.pending}
          rows={2}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      {act.failure !== undefined && (
        <NotDone
          failure={act.failure}
          what={what}
          done={done}
          ifUnknown="Look whether it is shown above before you send it again."
        />
      )}
      <div className="flex flex-wrap items-start gap-2">
        <Button
          onClick={() => send(text)}
          disabledReason={whyNotReason(text) === undefined ? undefined : 'Write it first.'}
          busyLabel={act.pending ? busy : undefined}
        >
          {button}
        </Button>
        {leave !== undefined && !act.pending && (
          <Button variant="quiet" onClick={leave}>
            Not now
          </Button>
        )}
      </div>
    </div>
  )
}

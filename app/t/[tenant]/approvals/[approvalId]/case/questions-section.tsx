'use client'

import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Approval } from '#lib/schemas/approvals.ts'
import { RequestChanges } from './changes-section.tsx'
import { Said, TextForm, useReplaced } from './said.tsx'

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
      {mayAsk && (
        <div className="flex flex-wrap items-start gap-2">
          <Ask shown={shown} />
          <RequestChanges shown={shown} />
        </div>
      )}
    </CustodySection>
  )
}

function noteOf(questions: readonly Question[]): string | undefined {
  if (questions.length === 0) return undefined
  const open = questions.filter(({ answer }) => answer === null).length
  return open === 0 ? 'all answered' : `${open} of ${questions.length} not answered`
}

function Ask({ shown: { approvalId, requestedBy } }: { shown: Approval }) {
  const { client } = useApi()
  const form = useReplaced()
  const act = useAct({
    send: client.approvals.ask.mutate,
    touches: ['approvals'],
    onDone: form.leave,
  })
  if (!form.open)
    return (
      <Button ref={form.button} onClick={form.enter}>
        <span>
          Ask <ShownText>{requestedBy.displayName}</ShownText>…
        </span>
      </Button>
    )
  return (
    <TextForm
      label={
        <>
          Your question to <ShownText>{requestedBy.displayName}</ShownText>
        </>
      }
      hint="It is stored in the audit record."
      button="Ask"
      busy="Asking…"
      notDone="The question was not asked."
      act={act}
      send={(question) => act.run({ approvalId, question })}
      leave={form.leave}
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
      notDone="The answer was not given."
      act={act}
      send={(answer) => act.run({ approvalId, questionId: question.id, answer })}
    />
  )
}

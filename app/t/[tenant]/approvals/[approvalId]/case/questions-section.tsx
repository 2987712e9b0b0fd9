'use client'

import { type ReactNode, useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/approval-case/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import type { Approval } from '#lib/schemas/approvals.ts'
import { RequestChanges } from './changes-section.tsx'
import { type ReplacedProps, Said, TextForm, useReplaced } from './said.tsx'

type Question = Approval['questions'][number]

/** What reviewers asked about the request, and what those who made it answered. Both are on the record. */
export function QuestionsSection({ shown, expired }: { shown: Approval; expired: boolean }) {
  const { questions, status, blocked, mayAnswer } = shown
  const pending = status === 'pending' && !expired
  const mayAsk = pending && blocked === null
  const ask = useReplaced()
  const changes = useReplaced()
  // What someone is writing stays when a colleague decides the request.
  const shows = mayAsk || ask.open || changes.open
  if (questions.length === 0 && !shows) return null
  return (
    <CustodySection title={t.questions} note={noteOf(questions)}>
      {questions.length > 0 && (
        <ul className="flex flex-col border-line border-t">
          {questions.map((one) => (
            <li key={one.id} className="flex flex-col gap-1 border-line border-b py-2">
              <Said by={one.by.displayName} at={one.at} text={one.question} />
              {one.answer !== null && (
                <div className="border-line-strong border-l-2 pl-3">
                  <Said by={one.answer.by.displayName} at={one.answer.at} text={one.answer.text} />
                </div>
              )}
              <Answer shown={shown} question={one} over={one.answer !== null || !pending || !mayAnswer}>
                {one.answer === null && <p className="text-ink-2">{pending ? t.notAnsweredYet : t.itWasNotAnswered}</p>}
              </Answer>
            </li>
          ))}
        </ul>
      )}
      {shows && (
        <div className="flex flex-wrap items-start gap-2">
          <Ask shown={shown} form={ask} over={!mayAsk} />
          <RequestChanges shown={shown} form={changes} over={!mayAsk} />
        </div>
      )}
    </CustodySection>
  )
}

function noteOf(questions: readonly Question[]): string | undefined {
  if (questions.length === 0) return undefined
  const open = questions.filter(({ answer }) => answer === null).length
  return open === 0 ? t.allAnswered : t.ofNotAnswered({ open, questions: questions.length })
}

function Ask({ shown: { approvalId, requestedBy }, form, over }: ReplacedProps) {
  const { client } = useApi()
  const act = useAct({
    send: client.approvals.ask.mutate,
    touches: ['approvals'],
    onDone: form.leave,
  })
  if (!form.open)
    return over ? null : (
      <Button ref={form.button} onClick={form.enter}>
        <span>{t.askPerson({ requestedBy: requestedBy.displayName, shown: shownText })}</span>
      </Button>
    )
  return (
    <TextForm
      label={t.yourQuestionTo({ requestedBy: requestedBy.displayName, shown: shownText })}
      hint={t.itIsStoredIn}
      button={t.ask}
      busy={t.asking}
      notDone={t.questionWasNotAsked}
      act={act}
      over={over}
      send={(question) => act.run({ approvalId, question })}
      leave={form.leave}
    />
  )
}

type AnswerProps = {
  shown: Approval
  question: Question
  /** It is no longer possible. */
  over: boolean
  /** Shown then, unless someone has begun to write. */
  children: ReactNode
}

function Answer({ shown: { approvalId }, question, over, children }: AnswerProps) {
  const { client } = useApi()
  const [writing, setWriting] = useState(false)
  const act = useAct({
    send: client.approvals.answer.mutate,
    touches: ['approvals'],
    onDone: () => setWriting(false),
  })
  if (over && !writing) return children
  return (
    <TextForm
      label={t.yourAnswer}
      hint={t.itIs}
      button={t.answer}
      busy={t.answering}
      notDone={t.answerWasNotGiven}
      act={act}
      over={over}
      onWriting={setWriting}
      send={(answer) => act.run({ approvalId, questionId: question.id, answer })}
    />
  )
}

'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { CodeField } from '#components/code/code-field.tsx'
import { NotDone } from '#components/forms/not-done.tsx'
import { useStanding } from '#components/forms/use-standing.ts'
import { parseJson } from '#components/json/json-problem.ts'
import { whoCan } from '#components/navigation/action-link.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/execution-inputs/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import type { SubmitOutput } from '#lib/schemas/inputs.ts'

type SendInputProps = {
  executionId: string
  input: string
  /** The execution no longer waits for the input: the button is removed, but an open dialog stays open. */
  over?: boolean
  /** Why the input can't be sent now. */
  blocked?: string | undefined
}

/** Sends an input to a wait, as `POST /v1/input-events`. */
export function SendInput({ executionId, input, over = false, blocked }: SendInputProps) {
  const { can } = useSession()
  const { rest } = useApi()
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const send = useAct({ send: rest.inputEvents.submit, touches: ['executions', 'inputs'] })
  const [failure, withdraw] = useStanding(send.failure)
  const parsed = parseJson(text)
  const problem = 'problem' in parsed ? parsed.problem : undefined
  // After a lost answer, the input that ended the wait may be this one: sent again, it says so.
  const gone = over && send.failure === undefined
  const change = (next: boolean) => {
    if (send.pending) return
    // The next input is a new event, so it starts with an empty form.
    if (next && send.output !== undefined) setText('')
    if (next) send.reset()
    setOpen(next)
  }
  function submit() {
    if ('problem' in parsed) return
    // After a lost answer, the same content must count as the same event.
    send.run({ executionId, input, data: parsed.value })
  }
  return (
    <>
      {!over && (
        <Button onClick={() => change(true)} disabledReason={can('input:submit') ? blocked : whoCan('input:submit')}>
          {t.send({ input })}
        </Button>
      )}
      <Dialog
        open={open}
        onOpenChange={change}
        title={t.send({ input })}
        description={t.executionContinuesWithFirst}
        actions={
          send.output !== undefined ? (
            <Button onClick={() => change(false)}>{t.close}</Button>
          ) : (
            <>
              <Button onClick={() => change(false)} className="self-start">
                {t.notNow}
              </Button>
              <Button
                variant="primary"
                onClick={submit}
                disabledReason={gone ? t.noLongerWaits : problem === undefined ? undefined : t.enterJsonValueFirst}
                busyLabel={send.pending ? t.sending({ input }) : undefined}
              >
                {t.send({ input })}
              </Button>
            </>
          )
        }
      >
        {send.output !== undefined ? (
          <Accepted sent={send.output} />
        ) : (
          <CodeField
            label={t.answerJson}
            hint={t.anyJsonValueFor({ examples: 'true, "yes" or { "confirmed": true }' })}
            value={text}
            onChange={(typed) => {
              setText(typed)
              withdraw()
            }}
            rows={5}
            problem={text.trim() === '' ? undefined : problem}
            readOnly={send.pending}
          />
        )}
        {failure !== undefined && (
          <NotDone failure={failure} title={t.answerWasNotAccepted} ifUnknown={t.sendItAgainSame} />
        )}
      </Dialog>
    </>
  )
}

const FATES: Record<SubmitOutput['status'], string> = {
  accepted: t.itWasMatchedWith,
  received: t.executionIsNotWaiting,
  unmatched_expired: t.noWaitOpenedBefore,
  wait_terminal: t.itArrivedAfterWait,
}

function Accepted({ sent: { result, status, receiptId } }: { sent: SubmitOutput }) {
  return (
    <Banner tone={status === 'accepted' ? 'ok' : 'warn'}>
      <p>
        {result === 'duplicate' ? t.thisAnswerWasAlready : t.answerWasAccepted}
        {FATES[status]}
      </p>
      <p className="flex flex-wrap items-center gap-x-1.5 text-dense">
        {t.receiptCopyable({ copyable: () => <Copyable value={receiptId} label={t.receiptIdLabel} /> })}
      </p>
    </Banner>
  )
}

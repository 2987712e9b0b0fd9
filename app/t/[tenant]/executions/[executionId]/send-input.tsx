'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { CodeField } from '#components/code/code-field.tsx'
import { NotDone } from '#components/forms/not-done.tsx'
import { parseJson } from '#components/json/json-problem.ts'
import { whoCan } from '#components/navigation/action-link.tsx'
import { useSession } from '#components/session/session-provider.tsx'
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
  const parsed = parseJson(text)
  const problem = 'problem' in parsed ? parsed.problem : undefined
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
          Send {input}
        </Button>
      )}
      <Dialog
        open={open}
        onOpenChange={change}
        title={`Send ${input}`}
        description="The execution continues with the first answer that it receives. You can’t withdraw an answer. It is stored with your name."
        actions={
          send.output !== undefined ? (
            <Button onClick={() => change(false)}>Close</Button>
          ) : (
            <>
              <Button onClick={() => change(false)} className="self-start">
                Not now
              </Button>
              <Button
                variant="primary"
                onClick={submit}
                disabledReason={problem === undefined ? undefined : 'Enter a JSON value first.'}
                busyLabel={send.pending ? `Sending ${input}…` : undefined}
              >
                Send {input}
              </Button>
            </>
          )
        }
      >
        {send.output !== undefined ? (
          <Accepted sent={send.output} />
        ) : (
          <CodeField
            label="Answer (JSON)"
            hint="Any JSON value, for example true, &quot;yes&quot; or { &quot;confirmed&quot;: true }"
            value={text}
            onChange={setText}
            rows={5}
            problem={text.trim() === '' ? undefined : problem}
            readOnly={send.pending}
          />
        )}
        {send.failure !== undefined && (
          <NotDone
            failure={send.failure}
            title="The answer was not accepted."
            ifUnknown="Send it again. The same answer is accepted at most once."
          />
        )}
      </Dialog>
    </>
  )
}

const FATES: Record<SubmitOutput['status'], string> = {
  accepted: 'It was matched with the wait, and the execution continues with it.',
  received: 'The execution is not waiting for it yet. It is stored until a wait opens or it expires.',
  unmatched_expired: 'No wait opened before it expired, so it was not used.',
  wait_terminal: 'It arrived after the wait had closed, so it was not used.',
}

function Accepted({ sent: { result, status, receiptId } }: { sent: SubmitOutput }) {
  return (
    <Banner tone={status === 'accepted' ? 'ok' : 'warn'}>
      <p>
        {result === 'duplicate'
          ? 'This answer was already accepted and was not recorded twice. '
          : 'The answer was accepted. '}
        {FATES[status]}
      </p>
      <p className="flex flex-wrap items-center gap-x-1.5 text-dense">
        Receipt <Copyable value={receiptId} label="receipt ID" />
      </p>
    </Banner>
  )
}

'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { CodeField } from '#components/code/code-field.tsx'
import { parseJson } from '#components/json/json-problem.ts'
import { whoCan } from '#components/navigation/action-link.tsx'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import type { Failure } from '#lib/failure.ts'
import type { SubmitOutput } from '#lib/schemas/inputs.ts'

type SendInputProps = {
  executionId: string
  input: string
  /** It is asked for no more: no button, but an open dialog stays with what it says. */
  over?: boolean
  /** Why nothing can be sent as things are. */
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
    // What was taken in is another event than the next one.
    if (next && send.output !== undefined) setText('')
    if (next) send.reset()
    setOpen(next)
  }
  function submit() {
    if ('problem' in parsed) return
    // After a lost answer the same content must be the same event.
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
        description="The execution takes the first answer and goes on with it. What was sent can’t be taken back; it is kept with who sent it."
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
                disabledReason={problem === undefined ? undefined : 'Write a JSON value first.'}
                busyLabel={send.pending ? `Sending ${input}` : undefined}
              >
                Send {input}
              </Button>
            </>
          )
        }
      >
        {send.output !== undefined ? (
          <Taken sent={send.output} />
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
        {send.failure !== undefined && <Refused failure={send.failure} />}
      </Dialog>
    </>
  )
}

const FATES: Record<SubmitOutput['status'], string> = {
  accepted: 'It was given to the wait; the execution goes on with it.',
  received: 'Nothing waits for it yet: it is kept until a wait opens or its time is over.',
  unmatched_expired: 'Nothing waited for it in time, so it was not used.',
  wait_terminal: 'It came too late: the wait was closed already, so it was not used.',
}

function Taken({ sent: { result, status, receiptId } }: { sent: SubmitOutput }) {
  return (
    <Banner tone={status === 'accepted' ? 'ok' : 'warn'}>
      <p>
        {result === 'duplicate'
          ? 'It had been taken in before, and was not taken twice. '
          : 'The answer was taken in. '}
        {FATES[status]}
      </p>
      <p className="flex flex-wrap items-center gap-x-1.5 text-dense">
        Receipt <Copyable value={receiptId} label="receipt id" />
      </p>
    </Banner>
  )
}

function Refused({ failure }: { failure: Failure }) {
  const unknown = failure.code === 'network' || failure.code === 'timeout'
  return (
    <ErrorPanel
      title={unknown ? 'We do not know whether it was taken in.' : 'It was not taken in.'}
      effect={unknown ? failure.message : `${failure.message} Nothing was changed.`}
      advice={unknown ? 'Send it again: the same answer is taken in once at most.' : adviceFor(failure)}
      requestId={failure.requestId}
    />
  )
}

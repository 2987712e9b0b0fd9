'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import { useAttempt } from '#components/api/use-attempt.ts'
import { CodeField } from '#components/code/code-field.tsx'
import { parseJson } from '#components/json/json-problem.ts'
import { whoCan } from '#components/navigation/action-link.tsx'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useApi, useSession } from '#components/session/session-provider.tsx'
import { Banner } from '#components/ui/banner.tsx'
import { Button } from '#components/ui/button.tsx'
import { Copyable } from '#components/ui/copyable.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { ErrorPanel } from '#components/ui/error-panel.tsx'
import type { Failure } from '#lib/failure.ts'
import type { JsonValue } from '#lib/json.ts'
import type { SubmitOutput } from '#lib/schemas/inputs.ts'
import { toFailure } from '#lib/trpc.ts'
import { refreshInputs } from './use-execution.ts'

type Sent = z.infer<typeof SubmitOutput>
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
  const { restFetch } = useApi()
  const cache = useQueryClient()
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const attempt = useAttempt()
  const send = useMutation({
    mutationFn: ({ data, idempotencyKey }: { data: JsonValue; idempotencyKey: string }) =>
      restFetch<Sent>('/v1/input-events', {
        method: 'POST',
        body: { correlation: { executionId, input }, data },
        idempotencyKey,
      }),
    onSettled: () => refreshInputs(cache, executionId),
  })
  const parsed = parseJson(text)
  const problem = 'problem' in parsed ? parsed.problem : undefined
  const change = (next: boolean) => {
    if (send.isPending) return
    // What was taken in is another event than the next one.
    if (next && send.isSuccess) {
      attempt.forget()
      setText('')
    }
    if (next) send.reset()
    setOpen(next)
  }
  function submit() {
    if ('problem' in parsed) return
    // After a lost answer the same content must be the same event.
    send.mutate({ data: parsed.value, idempotencyKey: attempt.keyFor(JSON.stringify(parsed.value)) })
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
          send.isSuccess ? (
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
                busyLabel={send.isPending ? `Sending ${input}` : undefined}
              >
                Send {input}
              </Button>
            </>
          )
        }
      >
        {send.isSuccess ? (
          <Taken sent={send.data} />
        ) : (
          <CodeField
            label="Answer (JSON)"
            hint="Any JSON value, for example true, &quot;yes&quot; or { &quot;confirmed&quot;: true }"
            value={text}
            onChange={setText}
            rows={5}
            problem={text.trim() === '' ? undefined : problem}
            readOnly={send.isPending}
          />
        )}
        {send.error !== null && <Refused failure={toFailure(send.error)} />}
      </Dialog>
    </>
  )
}

const FATES: Record<Sent['status'], string> = {
  accepted: 'It was given to the wait; the execution goes on with it.',
  received: 'Nothing waits for it yet: it is kept until a wait opens or its time is over.',
  unmatched_expired: 'Nothing waited for it in time, so it was not used.',
  wait_terminal: 'It came too late: the wait was closed already, so it was not used.',
}

function Taken({ sent: { result, status, receiptId } }: { sent: Sent }) {
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

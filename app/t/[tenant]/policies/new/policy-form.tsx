'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { useAttempt } from '#components/api/use-attempt.ts'
import { CodeEditor } from '#components/code/code-editor.tsx'
import type { CodeProblem } from '#components/code/code-problem.ts'
import { NotStored } from '#components/policies/not-stored.tsx'
import { policyProblems, usePolicyCheck } from '#components/policies/use-policy-check.ts'
import { useApi, useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/text-field.tsx'
import type { Failure } from '#lib/failure.ts'
import { policyPath } from '#lib/paths.ts'
import type { Policy } from '#lib/schemas/policies.ts'
import { toFailure } from '#lib/trpc.ts'
import { FIRST_TEXT } from './first-text.ts'
import { whyNotPolicyName } from './policy-name.ts'

type Content = { name: string; description: string; source: string }
type Refusal = { body: Content; failure: Failure; problems: CodeProblem[] | undefined }

/** Name, purpose and text; leads to the policy once the server has stored all three. */
export function PolicyForm() {
  const { tenant } = useSession()
  const { restFetch } = useApi()
  const router = useRouter()
  const cache = useQueryClient()
  const [content, setContent] = useState<Content>({ name: '', description: '', source: FIRST_TEXT })
  const { keyFor } = useAttempt()
  const [refusal, setRefusal] = useState<Refusal>()
  const create = useMutation({
    mutationFn: ({ body, idempotencyKey }: { body: Content; idempotencyKey: string }) =>
      restFetch<Policy>('/v1/policies', { method: 'POST', body, idempotencyKey }),
    onError(error, { body }) {
      const failure = toFailure(error)
      setRefusal({ body, failure, problems: policyProblems(failure) })
    },
    async onSuccess({ id }) {
      await cache.invalidateQueries({ queryKey: [['policies']] })
      router.push(policyPath(tenant, id))
    },
  })
  const { name, description, source } = content
  const set = (change: Partial<Content>) => setContent((before) => ({ ...before, ...change }))
  // What was said of a text or a name stands as long as that does.
  const refused = refusal?.body.source === source ? refusal.problems : undefined
  const taken = refusal?.failure.code === 'name_conflict' && refusal.body.name === name
  const { problems, note, blocked } = usePolicyCheck(source, refused)
  const badName = taken ? `There is already a policy named ${name}.` : whyNotPolicyName(name)
  const missing =
    badName ??
    (description.length > 500 ? 'What it is for has at most 500 characters.' : undefined) ??
    (source.trim() === '' ? 'Write a rule first.' : blocked)
  const busy = create.isPending || create.isSuccess
  const body = { name, description: description.trim(), source }
  const same = JSON.stringify(body)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (missing !== undefined || busy) return
    // After a lost answer the same content must not become two policies.
    create.mutate({ body, idempotencyKey: keyFor(same) })
  }

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-5">
      <div className="flex flex-col gap-4">
        <TextField
          label="Name"
          hint="Lower-case letters, digits and hyphens, for example refund-policy. It can’t be changed later."
          value={name}
          readOnly={busy}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => set({ name: event.target.value })}
          error={name === '' ? undefined : badName}
        />
        <TextField
          label="What it is for"
          hint="Optional, shown in lists"
          value={description}
          readOnly={busy}
          onChange={(event) => set({ description: event.target.value })}
          error={description.length > 500 ? `${description.length - 500} characters too long.` : undefined}
        />
      </div>
      <CodeEditor
        label="Policy (Cedar)"
        language="cedar"
        hint="Its first version. It is stored as a draft, which decides nothing until it is published and bound."
        value={source}
        onChange={(next) => set({ source: next })}
        problems={problems}
        note={note}
        jumpTo={refused?.[0]}
        rows={24}
        readOnly={busy}
      />
      {refusal && refused === undefined && !taken && JSON.stringify(refusal.body) === same && (
        <NotStored what="policy" failure={refusal.failure} />
      )}
      <div>
        <Button
          type="submit"
          variant="primary"
          disabledReason={missing}
          busyLabel={busy ? 'Storing the policy' : undefined}
        >
          Store the policy
        </Button>
      </div>
    </form>
  )
}

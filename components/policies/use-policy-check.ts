'use client'

import { useCallback } from 'react'
import { useApi } from '#components/api/api.tsx'
import type { CodeProblem } from '#components/code/code-problem.ts'
import { type Checked, useChecked } from '#components/code/use-checked.ts'
import type { Failure } from '#lib/failure.ts'

/** What is wrong with a policy's text as it is typed. `refused`: what the server said when the same text was to be stored. */
export function usePolicyCheck(text: string, refused: readonly CodeProblem[] | undefined): Checked {
  const { client } = useApi()
  const check = useCallback(
    async (source: string, signal: AbortSignal): Promise<CodeProblem[]> =>
      (await client.policies.check.query({ source }, { signal, context: { posted: true } })).problems,
    [client],
  )
  return useChecked({ what: 'policy', text, check, refused })
}

/** What the server says is wrong with the text itself; undefined when it is about something else. */
export function policyProblems({ code, message, issues }: Failure): CodeProblem[] | undefined {
  if (code !== 'invalid_policy') return undefined
  return issues.length === 0
    ? [{ message }]
    : issues.map(({ message: text, line, column }) => ({ message: text, line, column }))
}

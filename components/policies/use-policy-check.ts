'use client'

import { useCallback } from 'react'
import { useApi } from '#components/api/api.tsx'
import type { CodeProblem } from '#components/code/code-problem.ts'
import { type Checked, useChecked } from '#components/code/use-checked.ts'
import type { Failure } from '#lib/failure.ts'

/** Checks a policy's text while it is typed. `refused` contains the problems that the server reported when the text was submitted. */
export function usePolicyCheck(text: string, refused: readonly CodeProblem[] | undefined): Checked {
  const { client } = useApi()
  const check = useCallback(
    async (source: string, signal: AbortSignal): Promise<CodeProblem[]> => {
      const { problems, warnings = [] } = await client.policies.check.query(
        { source },
        { signal, context: { posted: true } },
      )
      return [...problems, ...warnings.map((warning) => ({ ...warning, severity: 'warning' as const }))]
    },
    [client],
  )
  return useChecked({ what: 'policy', text, check, refused })
}

/** Returns the problems of the text that a refusal reports; undefined for other errors. */
export function policyProblems({ code, message, issues }: Failure): CodeProblem[] | undefined {
  if (code !== 'invalid_policy') return undefined
  return issues.length === 0
    ? [{ message }]
    : issues.map(({ message: text, line, column }) => ({ message: text, line, column }))
}

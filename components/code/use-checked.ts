'use client'

import { keepPreviousData, useQuery } from '#components/api/query.ts'
import { failureText } from '#components/session/failure-text.ts'
import * as t from '#components/texts/code/en.ts'
import { toFailure } from '#lib/trpc.ts'
import { CHECKING, type CodeProblem } from './code-problem.ts'
import { useSettled } from './use-settled.ts'

export type Checked = {
  /** Problems of the last checked or refused text; the same array until they change. */
  problems: readonly CodeProblem[]
  /** The state of the check, as a text. */
  note: string | undefined
  /** Why the current text would be refused, if known. */
  blocked: string | undefined
}

type CheckOptions = {
  /** The name of the check in the cache. */
  what: string
  text: string
  check: (text: string, signal: AbortSignal) => Promise<CodeProblem[]>
  /** The problems reported for exactly this text. */
  refused: readonly CodeProblem[] | undefined
}

const NONE: readonly CodeProblem[] = []
const isError = ({ severity }: CodeProblem): boolean => severity !== 'warning'

/** Sends a text to the server for checking whenever typing pauses. */
export function useChecked({ what, text, check, refused }: CheckOptions): Checked {
  const settled = useSettled(text)
  const empty = text.trim() === ''
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['checked text', what, settled],
    queryFn: ({ signal }) => check(settled, signal),
    enabled: settled.trim() !== '',
    placeholderData: keepPreviousData,
    // Results are not cached, because the tools that a text is checked against can change.
    gcTime: 0,
    retry: false,
  })
  if (empty) return { problems: NONE, note: undefined, blocked: undefined }
  const current = settled === text && data !== undefined && !isPlaceholderData
  const problems = refused ?? data ?? NONE
  if (!current && error !== null)
    return { problems, note: t.notChecked({ problem: failureText(toFailure(error)) }), blocked: undefined }
  return {
    problems,
    note: current || refused !== undefined ? t.noProblems : CHECKING,
    blocked: current && problems.some(isError) ? t.fixFirst : undefined,
  }
}

'use client'

import { useEffect, useState } from 'react'
import { keepPreviousData, useQuery } from '#components/api/query.ts'
import { toFailure } from '#lib/trpc.ts'
import type { CodeProblem } from './code-problem.ts'

/** Milliseconds without a keystroke after which the text is sent. */
const pauseMs = 500

export type Checked = {
  /** Of the text as it was checked last, or as it was refused; the same array until there are others. */
  problems: readonly CodeProblem[]
  /** How the check stands, for people. */
  note: string | undefined
  /** Why it would be refused as it stands now, where that is known. */
  blocked: string | undefined
}

type Asked = {
  /** Names the check in the cache. */
  what: string
  text: string
  check: (text: string, signal: AbortSignal) => Promise<CodeProblem[]>
  /** What an answer to the very same text has said. */
  refused: readonly CodeProblem[] | undefined
}

const NONE: readonly CodeProblem[] = []
const isError = ({ severity }: CodeProblem): boolean => severity !== 'warning'

/** Asks the server about a text whenever the typing pauses. */
export function useChecked({ what, text, check, refused }: Asked): Checked {
  const settled = useSettled(text)
  const empty = text.trim() === ''
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['checked text', what, settled],
    queryFn: ({ signal }) => check(settled, signal),
    enabled: settled.trim() !== '',
    placeholderData: keepPreviousData,
    // What was typed is kept no longer than it is looked at; the tools that it is checked against change.
    gcTime: 0,
    retry: false,
  })
  if (empty) return { problems: NONE, note: undefined, blocked: undefined }
  const current = settled === text && data !== undefined && !isPlaceholderData
  const problems = refused ?? data ?? NONE
  if (!current && error !== null)
    return { problems, note: `Could not check the text: ${toFailure(error).message}`, blocked: undefined }
  return {
    problems,
    note: current || refused !== undefined ? 'No problems found' : 'Checking',
    blocked: current && problems.some(isError) ? 'Fix the marked problems first.' : undefined,
  }
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

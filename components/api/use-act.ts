'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Failure } from '#lib/failure.ts'
import { toFailure } from '#lib/trpc.ts'
import { isTouched, type Shown } from './matching.ts'
import { useAttempt } from './use-attempt.ts'

export type ActRun = { context: { idempotencyKey: string } }

type ActOptions<Input, Output> = {
  /** The procedure's call: `client.secrets.revoke.mutate`. */
  send: (input: Input, options: ActRun) => Promise<Output>
  /** Topics that are reloaded after any outcome. */
  touches: readonly Shown[]
  onDone?: (output: Output) => unknown
  onFailed?: (failure: Failure, input: Input) => void
}

export type Act<Input, Output = unknown> = {
  run: (input: Input) => void
  pending: boolean
  failure: Failure | undefined
  /** The error behind `failure`. */
  error: unknown
  /** The response of the last run, until the next. */
  output: Output | undefined
  /** Clears the last outcome, for a form that is opened again. */
  reset: () => void
}

/**
 * Runs one change at a time and never assumes its success. The response is not cached, because it may contain a secret. The same
 * input sent again after a failure has the same Idempotency-Key, so that a lost response never causes a second effect.
 */
export function useAct<Input, Output>(options: ActOptions<Input, Output>): Act<Input, Output> {
  const { send, touches, onDone, onFailed } = options
  const cache = useQueryClient()
  const [state, setState] = useState<Omit<Act<Input, Output>, 'run' | 'reset'>>(IDLE)
  const attempt = useAttempt()
  const busy = useRef(false)
  const mounted = useRef(true)
  useEffect(() => {
    mounted.current = true
    return () => {
      mounted.current = false
    }
  }, [])

  async function run(input: Input): Promise<void> {
    // State is updated too late for a double click.
    if (busy.current) return
    busy.current = true
    setState({ ...IDLE, pending: true })
    const idempotencyKey = attempt.keyFor(JSON.stringify(input))
    const result = await send(input, { context: { idempotencyKey } }).then(
      (output) => ({ output }),
      (error: unknown) => ({ error }),
    )
    busy.current = false
    for (const topic of touches)
      void cache.invalidateQueries({ predicate: (query) => isTouched(query, { topic, id: null }) })
    if ('error' in result) {
      const failure = toFailure(result.error)
      setState({ ...IDLE, failure, error: result.error })
      if (mounted.current) onFailed?.(failure, input)
      return
    }
    attempt.forget()
    setState({ ...IDLE, output: result.output })
    if (mounted.current) onDone?.(result.output)
  }

  return { ...state, run: (input) => void run(input), reset: () => setState(IDLE) }
}

const IDLE = { pending: false, failure: undefined, error: undefined, output: undefined }

/** Returns whether the change may have happened despite the failure. */
export const isUnknown = ({ code }: Failure): boolean => unknown.has(code)

/** `unreadable`: the response broke off, or a proxy answered in place of the server. */
const unknown: ReadonlySet<Failure['code']> = new Set(['network', 'timeout', 'unreadable'])

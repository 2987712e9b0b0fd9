'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Failure } from '#lib/failure.ts'
import { toFailure } from '#lib/trpc.ts'
import { useAttempt } from './use-attempt.ts'

type Options = { context: { idempotencyKey: string } }

type ActOptions<Input, Output> = {
  /** The procedure's call: `client.secrets.revoke.mutate`. */
  send: (input: Input, options: Options) => Promise<Output>
  /** Procedures whose answers are read again after any outcome: `secrets`, or `approvals`. */
  touches: string[]
  onDone?: (output: Output) => void
}

export type Act<Input> = {
  run: (input: Input) => void
  pending: boolean
  failure: Failure | undefined
  /** Forgets the last failure, for a form that is opened again. */
  reset: () => void
}

/**
 * One change at a time, never assumed to have happened. Its answer is kept by no cache: it may hold a secret. The same
 * input sent again after a failure has the same Idempotency-Key, so that a lost answer never means a second effect.
 */
export function useAct<Input, Output>({ send, touches, onDone }: ActOptions<Input, Output>): Act<Input> {
  const cache = useQueryClient()
  const [state, setState] = useState<{ pending: boolean; failure: Failure | undefined }>(IDLE)
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
    // State is a render late for a double click.
    if (busy.current) return
    busy.current = true
    setState({ pending: true, failure: undefined })
    const idempotencyKey = attempt.keyFor(JSON.stringify(input))
    const result = await send(input, { context: { idempotencyKey } }).then(
      (output) => ({ output }),
      (error: unknown) => ({ failure: toFailure(error) }),
    )
    busy.current = false
    for (const domain of touches) void cache.invalidateQueries({ queryKey: [[domain]] })
    if ('failure' in result) return setState({ pending: false, failure: result.failure })
    attempt.forget()
    setState(IDLE)
    if (mounted.current) onDone?.(result.output)
  }

  return { ...state, run: (input) => void run(input), reset: () => setState(IDLE) }
}

const IDLE = { pending: false, failure: undefined }

/** Whether the change may have happened all the same. */
export const isUnknown = ({ code }: Failure): boolean => code === 'network' || code === 'timeout'

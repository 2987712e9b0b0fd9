'use client'

import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import * as t from '#components/texts/ui/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { ErrorPanel } from './error-panel.tsx'

type FailedProps = {
  retry: () => void
  /** The part is being loaded again. */
  retrying: boolean
}

type Options = {
  /** Shown while the code is loaded. */
  waiting?: ReactNode
  /** Shown if it could not be loaded. */
  Failed?: ComponentType<FailedProps>
}

/**
 * A part of a page whose code is loaded when it is first shown. Unlike with React's `lazy`, which remembers a failure and throws
 * it, a part that could not be loaded says so in its place, and is loaded when the connection is back, or when asked to.
 */
export function loadedLater<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { waiting = null, Failed = PartFailed }: Options = {},
): ComponentType<Props> {
  // Kept when the part leaves the page, so that it is there at once when it is shown again.
  let code: ComponentType<Props> | undefined
  return function LoadedLater(props: Props) {
    const [Part, setPart] = useState(() => code)
    const [state, setState] = useState<'loading' | 'failed' | 'retrying'>('loading')
    useEffect(() => {
      if (Part !== undefined || state === 'failed') return
      let gone = false
      const loaded = code === undefined ? load() : Promise.resolve(code)
      loaded.then(
        (part) => {
          code = part
          if (!gone) setPart(() => part)
        },
        () => {
          if (!gone) setState('failed')
        },
      )
      return () => {
        gone = true
      }
    }, [Part, state])
    if (Part !== undefined) return <Part {...props} />
    if (state === 'loading') return waiting
    return <AgainWhenOnline Failed={Failed} retrying={state === 'retrying'} retry={() => setState('retrying')} />
  }
}

function AgainWhenOnline({ Failed, ...props }: FailedProps & { Failed: ComponentType<FailedProps> }) {
  const { retry } = props
  useEffect(() => {
    window.addEventListener('online', retry)
    return () => window.removeEventListener('online', retry)
  }, [retry])
  return <Failed {...props} />
}

function PartFailed({ retry, retrying }: FailedProps) {
  return (
    <ErrorPanel
      title={t.partNotLoaded}
      effect={t.partNothingChanged}
      advice={t.partAdvice}
      action={
        <Button onClick={retry} busyLabel={retrying ? t.loadingPart : undefined}>
          {t.loadPart}
        </Button>
      }
    />
  )
}

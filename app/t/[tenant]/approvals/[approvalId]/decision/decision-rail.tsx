'use client'

import { type KeyboardEvent, useEffect, useId, useRef } from 'react'
import { useSingleKeys } from '#components/keyboard/single-keys.ts'
import { LinkButton } from '#components/layout/link-button.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { approvalsPath } from '#lib/paths.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import type { Neighbours } from '../use-neighbours.ts'
import { DecisionForm } from './decision-form.tsx'
import { RailNotice } from './rail-notice.tsx'
import type { DecisionControl } from './use-decision.ts'

type DecisionRailProps = { decision: DecisionControl; shown: Approval; neighbours: Neighbours }

/** The form of the decision and its status. It never shows an outcome that the server has not confirmed. */
export function DecisionRail({ decision, shown, neighbours }: DecisionRailProps) {
  const noticeId = useId()
  const { view } = decision
  const over = view.is === 'recorded' || view.is === 'decided'
  function press(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    decision.submit()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the controls inside, which also work without it.
    <div onKeyDown={press} className="flex flex-col gap-4">
      <RailNotice id={noticeId} decision={decision} shown={shown} />
      {over ? (
        <WhatNext focus={view.is === 'recorded'} neighbours={neighbours} />
      ) : (
        <DecisionForm {...{ decision, shown, noticeId }} />
      )}
      <Who deciding={!over && view.is !== 'blocked' && view.is !== 'expired'} />
    </div>
  )
}

/** The link to the next request gets the focus once a decision is recorded. The page never navigates by itself. */
function WhatNext({ focus, neighbours }: { focus: boolean; neighbours: Neighbours }) {
  const { tenant } = useSession()
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (focus) link.current?.focus()
  }, [focus])
  const { afterDecision, view } = neighbours
  return afterDecision === undefined ? (
    <LinkButton ref={link} href={approvalsPath(tenant, { view })} primary wide>
      Back to the approvals
    </LinkButton>
  ) : (
    <LinkButton ref={link} href={afterDecision.item} primary wide>
      Next ({afterDecision.position} of {afterDecision.total})
    </LinkButton>
  )
}

function Who({ deciding }: { deciding: boolean }) {
  const { me } = useSession()
  const [keys, setKeys] = useSingleKeys()
  return (
    <div className="flex flex-col gap-1 border-line border-t pt-3 text-dense text-ink-2">
      <p>
        {deciding ? 'Deciding' : 'Signed in'} as <ShownText>{me.principal.displayName}</ShownText>, tenant{' '}
        <ShownText>{me.tenant.displayName}</ShownText>.
      </p>
      <p>
        {keys === 'on'
          ? `${deciding ? 'Press A, R or E to choose and write the reason, Escape to leave it, ' : 'Press '}J or K for the next or previous request.`
          : 'Single-key shortcuts are off.'}{' '}
        <button type="button" className="text-link min-h-6" onClick={() => setKeys(keys === 'on' ? 'off' : 'on')}>
          {keys === 'on' ? 'Turn them off' : 'Turn them on'}
        </button>
      </p>
    </div>
  )
}

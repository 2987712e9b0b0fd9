'use client'

import { type KeyboardEvent, useEffect, useId, useRef } from 'react'
import { useSingleKeys } from '#components/keyboard/single-keys.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { LinkButton } from '#components/layout/link-button.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approval-decision/en.ts'
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
      {t.backToApprovals}
    </LinkButton>
  ) : (
    <LinkButton ref={link} href={afterDecision.item} primary wide>
      {t.nextOf({ position: afterDecision.position, total: afterDecision.total })}
    </LinkButton>
  )
}

function Who({ deciding }: { deciding: boolean }) {
  const { me } = useSession()
  const [keys, setKeys] = useSingleKeys()
  return (
    <div className="flex flex-col gap-1 border-line border-t pt-3 text-dense text-ink-2">
      <p>
        {t.signedInAsTenant({
          deciding: String(Boolean(deciding)),
          principal: me.principal.displayName,
          shown: shownText,
          tenant: me.tenant.displayName,
        })}
      </p>
      <p className="max-rail:pointer-coarse:hidden">
        {keys === 'on' ? t.pressJOrK({ deciding: String(Boolean(deciding)) }) : t.singleKeyShortcutsAre}{' '}
        <button type="button" className="text-link min-h-6" onClick={() => setKeys(keys === 'on' ? 'off' : 'on')}>
          {keys === 'on' ? t.turnThemOff : t.turnThemOn}
        </button>
      </p>
    </div>
  )
}

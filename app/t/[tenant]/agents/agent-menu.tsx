'use client'

import { useRef, useState } from 'react'
import { type AgentAct, agentAct } from '#components/agents/agent-acts.ts'
import { useApi } from '#components/api/api.tsx'
import { ReasonPrompt } from '#components/forms/reason-dialog.tsx'
import * as t from '#components/texts/agents/en.ts'
import { MenuButton } from '#components/ui/controls/menu-button.tsx'
import { MoreIcon } from '#components/ui/status/icons.tsx'
import type { AgentSummary } from '#lib/schemas/agents.ts'
import { visibleText } from '#lib/text/visible-text.ts'

const load = () => import('./agent-menu-items.tsx').then((module) => module.AgentMenuItems)

/** What can be done with an agent of the list, with the kill switch first. */
export function AgentMenu({ agent }: { agent: AgentSummary }) {
  const { client } = useApi()
  const [asked, setAsked] = useState<AgentAct>()
  const [open, setOpen] = useState(false)
  const place = useRef<HTMLSpanElement>(null)
  const choose = (act: AgentAct) => {
    setAsked(act)
    setOpen(true)
  }
  return (
    <span ref={place} className="contents">
      <MenuButton
        load={load}
        props={{ agent, choose }}
        trigger={
          <button
            type="button"
            aria-label={t.actionsFor({ displayName: visibleText(agent.displayName) })}
            className="inline-grid size-7 place-items-center hover:bg-selected max-rail:size-11"
          >
            <MoreIcon />
          </button>
        }
      />
      {asked !== undefined && (
        <ReasonPrompt
          {...agentAct(client, agent, asked)}
          open={open}
          onOpenChange={setOpen}
          // While the dialog opens, the focus may still be in the menu, which is gone by then.
          returnTo={() => place.current?.querySelector('button')}
        />
      )}
    </span>
  )
}

'use client'

import { useState } from 'react'
import { type AgentAct, agentAct } from '#components/agents/agent-acts.ts'
import { useApi } from '#components/api/api.tsx'
import { ReasonPrompt } from '#components/forms/reason-dialog.tsx'
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
  const choose = (act: AgentAct) => {
    setAsked(act)
    // The menu first gives the focus back to its button, to which the dialog then returns it.
    setTimeout(() => setOpen(true))
  }
  return (
    <>
      <MenuButton
        load={load}
        props={{ agent, choose }}
        trigger={
          <button
            type="button"
            aria-label={`Actions for ${visibleText(agent.displayName)}`}
            className="inline-grid size-7 place-items-center hover:bg-selected max-rail:size-11"
          >
            <MoreIcon />
          </button>
        }
      />
      {asked !== undefined && <ReasonPrompt {...agentAct(client, agent, asked)} open={open} onOpenChange={setOpen} />}
    </>
  )
}

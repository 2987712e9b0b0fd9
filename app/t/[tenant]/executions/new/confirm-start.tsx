'use client'

import { JsonView } from '#components/json/json-view.tsx'
import * as t from '#components/texts/execution-start/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import type { JsonObject } from '#lib/json.ts'

type ConfirmStartProps = {
  agentName: string
  version: string
  environment: string
  input: JsonObject
  onConfirm: () => void
  onClose: () => void
}

/** Whether an environment is one in which a start has effects for customers. */
export const isProduction = (environment: string): boolean => /^prod(uction)?(-|$)/.test(environment)

/** Asks before a start in production, where the agent's calls have real effects. */
export function ConfirmStart({ agentName, version, environment, input, onConfirm, onClose }: ConfirmStartProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t.confirmStartIn({ agentName, environment })}
      description={t.versionRunsWithThis({ version })}
      actions={
        <>
          <Button onClick={onClose} className="self-start">
            {t.notNow}
          </Button>
          <Button variant="primary" onClick={onConfirm}>
            {t.startIn({ agentName, environment })}
          </Button>
        </>
      }
    >
      <JsonView value={input} />
    </Dialog>
  )
}

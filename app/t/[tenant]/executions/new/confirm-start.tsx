'use client'

import { JsonView } from '#components/json/json-view.tsx'
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
      title={`Start ${agentName} in ${environment}?`}
      description={`Version ${version} runs with this input. Its calls have real effects, except those that a policy denies or a person has to approve.`}
      actions={
        <>
          <Button onClick={onClose} className="self-start">
            Not now
          </Button>
          <Button variant="primary" onClick={onConfirm}>
            {`Start ${agentName} in ${environment}`}
          </Button>
        </>
      }
    >
      <JsonView value={input} />
    </Dialog>
  )
}

'use client'

import { type ReactNode, useLayoutEffect, useState } from 'react'
import { holdPage } from '#components/navigation/leave-guard.ts'
import * as t from '#components/texts/access-keys/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { ShownValue } from './shown-value.tsx'

type ShownOnceProps = {
  title: string
  description: string
  /** Noun for use inside a sentence: "API key". */
  noun: string
  /** Undefined if the server created the value but its response was lost. */
  value: string | undefined
  /** What the person confirms: "I stored the key". */
  confirm: string
  /** What to do when the value is lost. */
  lost: string
  children?: ReactNode
  onClose: () => void
}

/** A value that is shown only once. Neither the dialog nor the page can be left until the person confirms. */
export function ShownOnce(props: ShownOnceProps) {
  const { title, description, noun, value, confirm, lost, children, onClose } = props
  const [stored, setStored] = useState(false)
  const [tried, setTried] = useState(0)
  const held = value !== undefined && !stored
  const reason = t.tickFirstValueCant({ confirm })
  // The page is held from the moment it shows the value.
  useLayoutEffect(() => {
    if (held) return holdPage(() => setTried((times) => times + 1))
  }, [held])
  const close = () => (held ? setTried((times) => times + 1) : onClose())
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={title}
      description={description}
      actions={
        <Button variant="primary" onClick={onClose} disabledReason={held ? reason : undefined}>
          {t.done}
        </Button>
      }
    >
      {value === undefined ? (
        <ErrorPanel title={t.itWasCreatedBut} effect={t.valueCantBeShown} advice={lost} />
      ) : (
        <ShownValue noun={noun} value={value} />
      )}
      {children}
      {value !== undefined && <Checkbox label={confirm} checked={stored} onChange={setStored} />}
      {held && tried > 0 && (
        <p key={tried} role="alert" className="text-danger">
          {t.leavingNowWouldLose({ reason })}
        </p>
      )}
    </Dialog>
  )
}

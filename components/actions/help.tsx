'use client'

import { useSingleKeys } from '#components/keyboard/single-keys.ts'
import * as t from '#components/texts/palette/en.ts'
import * as shell from '#components/texts/shell/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { Kbd } from '#components/ui/controls/kbd.tsx'
import { type Action, keysOf, offeredActions } from './registry.ts'

type HelpProps = { open: boolean; onClose: () => void }

/** The keys that work on this page, as they are registered. */
export function Help({ open, onClose }: HelpProps) {
  const [keys, setKeys] = useSingleKeys()
  const actions = open ? offeredActions().filter(hasKey) : []
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={t.keysTitle}
      description={keys === 'on' ? t.keysOn : t.keysOff}
      actions={
        <Button onClick={() => setKeys(keys === 'on' ? 'off' : 'on')}>{keys === 'on' ? t.turnOff : t.turnOn}</Button>
      }
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-4 gap-y-2">
        <Line keys={[shell.control, 'K']} title={t.title} />
        {keys === 'on' && actions.map(({ key, title }) => <Line key={key} keys={keysOf(key)} title={title} />)}
      </dl>
    </Dialog>
  )
}

const hasKey = (action: Action): action is Action & { key: string } => action.key !== undefined

function Line({ keys, title }: { keys: string[]; title: string }) {
  return (
    <>
      <dt className="flex gap-1">
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </dt>
      <dd>{title}</dd>
    </>
  )
}

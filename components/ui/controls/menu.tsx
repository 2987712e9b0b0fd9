'use client'

import * as Radix from '@radix-ui/react-dropdown-menu'
import type { ReactElement, ReactNode } from 'react'
import { CheckIcon } from '#components/ui/status/icons.tsx'

const ITEM =
  'flex min-h-8 items-start gap-2 px-2.5 py-1.5 outline-none data-[highlighted]:bg-selected data-[disabled]:text-ink-3'

type MenuProps = {
  /** The button that opens it. */
  trigger: ReactElement
  align?: 'start' | 'end'
  children: ReactNode
}

/** A menu below its button. Not modal: the page behind stays reachable. */
export function Menu({ trigger, align = 'end', children }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      {/* No portal: the menu stays in its landmark and after its button in the reading order. */}
      <Radix.Content
        align={align}
        sideOffset={4}
        collisionPadding={8}
        className="appear z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-52 max-w-80 overflow-y-auto border border-line-strong bg-raised py-1 text-ink shadow-[0_4px_16px_rgb(0_0_0/0.18)]"
      >
        {children}
      </Radix.Content>
    </Radix.Root>
  )
}

type MenuItemProps = {
  children: ReactNode
  onSelect: () => void
  /** Why it can't be chosen now; shown under its label. */
  disabledReason?: string
}

export function MenuItem({ children, onSelect, disabledReason }: MenuItemProps) {
  return (
    <Radix.Item
      className={ITEM}
      aria-disabled={disabledReason !== undefined || undefined}
      onSelect={(event) => {
        // Not Radix's `disabled`: the arrow keys would skip the item and its reason.
        if (disabledReason !== undefined) event.preventDefault()
        else onSelect()
      }}
    >
      <span className="flex flex-col">
        <span className={disabledReason === undefined ? undefined : 'text-ink-3'}>{children}</span>
        {disabledReason !== undefined && <span className="text-dense text-ink-2">{disabledReason}</span>}
      </span>
    </Radix.Item>
  )
}

/** An item that is a link; give it the link element. */
export function MenuLink({ children }: { children: ReactElement }) {
  return (
    <Radix.Item asChild className={ITEM}>
      {children}
    </Radix.Item>
  )
}

export function MenuHeading({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2.5 pt-1.5 pb-1 text-dense text-ink-2">{children}</Radix.Label>
}

/** About the choice above it. A menu can't contain a live region, so what must be announced is a notice, too. */
export function MenuNote({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2.5 pb-1.5 text-dense text-ink-2">{children}</Radix.Label>
}

export function MenuRule() {
  return <Radix.Separator className="my-1 border-line border-t" />
}

type MenuChoiceProps<Value extends string> = {
  heading: string
  value: Value
  options: { value: Value; label: string }[]
  onChange: (value: Value) => void
  /** Until the choice has an effect, or says why it has none. */
  staysOpen?: boolean
}

/** One of a few options, with a tick at the current one. */
export function MenuChoice<Value extends string>({
  heading,
  value,
  options,
  onChange,
  staysOpen = false,
}: MenuChoiceProps<Value>) {
  return (
    <Radix.Group>
      <MenuHeading>{heading}</MenuHeading>
      <Radix.RadioGroup
        value={value}
        onValueChange={(next) => {
          const option = options.find((candidate) => candidate.value === next)
          if (option) onChange(option.value)
        }}
      >
        {options.map((option) => (
          <Radix.RadioItem
            key={option.value}
            value={option.value}
            className={ITEM}
            onSelect={staysOpen ? (event) => event.preventDefault() : undefined}
          >
            <span className="inline-grid size-5 place-items-center">
              <Radix.ItemIndicator>
                <CheckIcon />
              </Radix.ItemIndicator>
            </span>
            {option.label}
          </Radix.RadioItem>
        ))}
      </Radix.RadioGroup>
    </Radix.Group>
  )
}

'use client'

type RowCheckboxProps = {
  /** The row or the rows that it selects: "Select Refund A-1003". */
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
}

/** Selects a row of a table. */
export function RowCheckbox({ label, checked, onChange }: RowCheckboxProps) {
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={checked}
      onChange={(event) => onChange(event.target.checked)}
      className="check-mark -my-1 max-rail:m-0 max-rail:size-11 align-middle"
    />
  )
}

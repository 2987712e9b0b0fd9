'use client'

import { SelectField } from '#components/forms/select-field.tsx'
import * as t from '#components/texts/approvals/en.ts'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { columnKeys, columnLabels, type Density, densities, type Layout } from './layout.ts'

type LayoutChooserProps = { layout: Layout; onChange: (layout: Layout) => void }

/** Which columns the list has, and how tight its rows are. Kept in the address and remembered in this browser. */
export function LayoutChooser({ layout, onChange }: LayoutChooserProps) {
  const { hidden, density } = layout
  return (
    <details className="open:basis-full">
      <summary className="text-link inline-flex min-h-6 items-center text-dense">{t.columnsAndDensity}</summary>
      <div className="flex flex-col gap-3 border-line border-b pt-2 pb-3 narrow:flex-row narrow:gap-6">
        <fieldset className="grow">
          <legend className="mb-1.5 font-semibold text-dense">{t.columns}</legend>
          <div className="grid grid-cols-2 gap-x-4 narrow:grid-cols-4">
            {columnKeys.map((key) => (
              <Checkbox
                key={key}
                label={columnLabels[key]}
                checked={!hidden.includes(key)}
                onChange={(shown) =>
                  onChange({ ...layout, hidden: shown ? hidden.filter((one) => one !== key) : [...hidden, key] })
                }
              />
            ))}
          </div>
        </fieldset>
        <SelectField
          label={t.density}
          value={density}
          onChange={(value) => onChange({ ...layout, density: value as Density })}
          placeholder=""
          options={Object.entries(densities).map(([value, label]) => ({ value, label }))}
        />
      </div>
    </details>
  )
}

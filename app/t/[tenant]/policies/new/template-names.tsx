import * as t from '#components/texts/policy/en.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
import type { PolicyTemplate, TemplateNames } from '#lib/policy-gallery/template.ts'

type TemplateNamesProps = {
  template: PolicyTemplate
  names: TemplateNames
  /** The text no longer follows the template, so that its names are changed in the text. */
  edited: boolean
  locked: boolean
  onChange: (names: TemplateNames) => void
}

/** The names of the installation that the template's text contains. */
export function TemplateNameFields({ template, names, edited, locked, onChange }: TemplateNamesProps) {
  const hint = (text: string) => (edited ? t.youChangedTextChange : text)
  return (
    <div className="grid max-w-240 grid-cols-1 gap-4 narrow:grid-cols-2">
      <TextField
        label={t.tool}
        hint={hint(t.asServerNameText({ names: Object.keys(argumentsOf(template)).join(', ') }))}
        value={names.tool}
        readOnly={edited || locked}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange({ ...names, tool: event.target.value })}
        error={isToolName(names.tool) ? undefined : t.useServerNameSuch}
      />
      <TextField
        label={t.approverGroup}
        hint={hint(t.peopleWhoDecide)}
        value={names.group}
        readOnly={edited || locked}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange({ ...names, group: event.target.value })}
      />
    </div>
  )
}

const argumentsOf = ({ inputSchema: { properties } }: PolicyTemplate): object =>
  typeof properties === 'object' && properties !== null ? properties : {}

export const isToolName = (tool: string): boolean => /^[^/\s"\\]+\/[^\s"\\]+$/.test(tool)

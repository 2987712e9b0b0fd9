import { kebab, operations, wordsOf } from '../catalog.ts'
import { usageError } from '../failure.ts'
import { commonFlags, flagsOf } from '../flags.ts'
import type { Command } from './command.ts'

/** The words that may follow `before`, and flags once they name an operation. */
export function candidates(before: readonly string[], commands: readonly Command[]): string[] {
  const words = before.filter((word) => !word.startsWith('-'))
  const all = [...commands.map(({ name }) => name.split(' ')), ...operations().map(wordsOf)]
  const next = all.flatMap((one) =>
    words.every((word, index) => one[index] === kebab(word)) ? [one[words.length]] : [],
  )
  const found = [...new Set(next)].filter((word) => word !== undefined)
  if (found.length > 0) return found.sort()
  const operation = operations().find((one) => wordsOf(one).every((word, index) => words[index] === word))
  const flags = operation === undefined ? [] : flagsOf(operation).map(({ name }) => name)
  return [...new Set([...flags, 'json', ...Object.keys(commonFlags)])].map((name) => `--${name}`)
}

const scripts: Record<string, string> = {
  bash: `_countersign() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(countersign completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _countersign countersign
`,
  zsh: `#compdef countersign
_countersign() {
  local -a found
  found=("\${(@f)$(countersign completion words -- "\${words[@]:1:$((CURRENT-2))}" 2>/dev/null)}")
  compadd -a found || _files
}
compdef _countersign countersign
`,
  fish: `complete -c countersign -a '(countersign completion words -- (commandline -opc)[2..-1] 2>/dev/null)'
`,
}

export const completionOf = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'Print a completion script for bash, zsh or fish',
  usage: `countersign completion bash|zsh|fish

  bash   source <(countersign completion bash)
  zsh    source <(countersign completion zsh)
  fish   countersign completion fish | source`,
  async run({ args, output }) {
    const [shell = ''] = args
    if (shell === 'words')
      output.out(
        candidates(args.slice(args[1] === '--' ? 2 : 1), commands())
          .map((word) => `${word}\n`)
          .join(''),
      )
    else if (scripts[shell] !== undefined) output.out(scripts[shell])
    else throw usageError(`completion: ${JSON.stringify(shell)}. Must be one of bash, zsh, fish.`)
    return undefined
  },
})

import { kebab, operationIn, operations, wordsOf } from '../catalog.ts'
import { usageError } from '../failure.ts'
import { commonFlags, flagsOf, type Options, optionsOf } from '../flags.ts'
import { formats } from '../output.ts'
import { callFlags } from './call.ts'
import type { Command } from './command.ts'

/** What may follow `before`: words until they name a command or an operation, then its flags, and after a flag its values. */
export function candidates(before: readonly string[], commands: readonly Command[]): string[] {
  // bash splits --flag=value into three words.
  const typed = before.filter((word) => word !== '=')
  const first = typed.findIndex((word) => word.startsWith('-'))
  const words = first === -1 ? typed : typed.slice(0, first)
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word))
  const next = first === -1 ? nextWords(words, command, commands) : []
  if (next.length > 0) return next
  const { options, choices } = flagsAfter(words, command)
  const last = typed.at(-1) === '-o' ? 'output' : (typed.at(-1)?.replace(/^--/, '') ?? '')
  const isFlag = first !== -1 && typed.at(-1)?.startsWith('-') === true
  // A value that is not one of a few, such as a file, is left to the shell.
  if (isFlag && options[last]?.type === 'string') return [...(choices[last] ?? [])]
  return Object.keys(options).map((name) => `--${name}`)
}

function nextWords(words: readonly string[], command: Command | undefined, commands: readonly Command[]): string[] {
  const all = [...commands.map(({ name }) => name.split(' ')), ...operations().map(wordsOf)]
  const next = all.flatMap((one) =>
    words.every((word, index) => one[index] === kebab(word)) ? [one[words.length]] : [],
  )
  const own = command?.name.split(' ').length === words.length ? (command.words?.() ?? []) : []
  return [...new Set([...own, ...next.filter((word) => word !== undefined)])].sort()
}

type Known = { options: Options; choices: Readonly<Record<string, readonly string[]>> }

function flagsAfter(words: readonly string[], command: Command | undefined): Known {
  // After `call`, the operation is one word.
  const name = command?.name === 'call' ? words[1] : command?.operation
  const operation =
    name === undefined
      ? command === undefined
        ? operationIn(words)?.operation
        : undefined
      : operations().find((one) => one.name === name)
  const fields = operation === undefined ? [] : flagsOf(operation)
  const own = command?.flags ?? (operation === undefined ? {} : callFlags)
  return {
    options: { ...optionsOf(fields), ...own, ...commonFlags },
    choices: {
      output: formats,
      ...command?.choices,
      ...Object.fromEntries(fields.flatMap(({ name: flag, choices }) => (choices ? [[flag, choices]] : []))),
    },
  }
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
  words: () => Object.keys(scripts),
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

import type { CommandTable, Completes } from './command.ts'
import { type Place, placesOf, valueOptions } from './completion-words.ts'

export function bashScript(table: CommandTable): string {
  const places = placesOf(table)
  const called = places.filter(({ words }) => words !== '')
  return `# Completion of bft-scan-proxy in bash: source it, or keep it in ~/.local/share/bash-completion/completions/.
_bft_scan_proxy() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place='' before='' count=0 word words=''
  # Bash splits --option=value at the equals sign.
  if [[ $current == '=' ]]; then current=''; elif [[ $previous == '=' ]]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $word == '=' ]]; then continue; fi
    case "$place $before" in
      ${valueOptions(places)
        .map((option) => `'${option}'`)
        .join(' | ')}) before=''; continue ;;
    esac
    before=$word
    case "\${place:+$place }$word" in
${called.map(({ words }) => `      '${words}') place='${words}'; count=0 ;;`).join('\n')}
      *) if [[ $word != -* ]]; then count=$((count + 1)); fi ;;
    esac
  done
  COMPREPLY=()
  case "$place $previous" in
${places.flatMap(valueCases).join('\n')}
  esac
  case "$place" in
${places.map(({ words, commands, options }) => `    '${words}') words='${[...commands, ...options].map(({ word }) => word).join(' ')}' ;;`).join('\n')}
  esac
  if [[ $current != -* ]]; then
    case "$place $count" in
${places.flatMap(argumentCases).join('\n')}
    esac
  fi
  COMPREPLY+=($(compgen -W "$words" -- "$current"))
}
complete -F _bft_scan_proxy bft-scan-proxy
`
}

function valueCases({ words, options }: Place): readonly string[] {
  return options.flatMap(({ word, value }) => {
    if (value === undefined) return []
    return [`    '${words} ${word}') ${offer(value)} return ;;`]
  })
}

function argumentCases({ words, args }: Place): readonly string[] {
  return args.flatMap((completes, at) =>
    completes === 'anything' ? [] : [`      '${words} ${at}') ${offer(completes)} ;;`],
  )
}

function offer(completes: Completes): string {
  if (completes === 'anything') return ''
  if (completes === 'files') return `compopt -o filenames; COMPREPLY=($(compgen -f -- "$current"));`
  return `COMPREPLY=($(compgen -W '${completes.join(' ')}' -- "$current"));`
}

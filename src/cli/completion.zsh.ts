import type { CommandTable, Completes } from './command.ts'
import { type CompletionWord, type Place, placesOf, valueOptions } from './completion-words.ts'

export function zshScript(table: CommandTable): string {
  const places = placesOf(table)
  const called = places.filter(({ words }) => words !== '')
  return `#compdef bft-scan-proxy
# Completion of bft-scan-proxy in zsh: source it, or keep it as _bft-scan-proxy in a folder of $fpath.
_bft_scan_proxy() {
  local place='' before='' word count=0
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $before" in
      (${valueOptions(places).map(quoted).join('|')}) before=''; continue ;;
    esac
    before=$word
    case "\${place:+$place }$word" in
${called.map(({ words }) => `      (${quoted(words)}) place=${quoted(words)}; count=0 ;;`).join('\n')}
      (*) [[ $word == -* ]] || (( count += 1 )) ;;
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${places.flatMap(valueCases).join('\n')}
  esac
  compset -P '--*=' && case "$place \${IPREFIX%=}" in
${places.flatMap(valueCases).join('\n')}
  esac
  if [[ $PREFIX != -* ]]; then
    case "$place $count" in
${places.flatMap(argumentCases).join('\n')}
    esac
  fi
  case "$place" in
${places.map(placeCase).join('\n')}
  esac
  _describe word offered
}
if [[ $funcstack[1] == _bft-scan-proxy ]]; then _bft_scan_proxy "$@"; else compdef _bft_scan_proxy bft-scan-proxy; fi
`
}

function valueCases({ words, options }: Place): readonly string[] {
  return options.flatMap(({ word, value }) => {
    if (value === undefined) return []
    return [`    (${quoted(`${words} ${word}`)}) ${offer(value)}return ;;`]
  })
}

function argumentCases({ words, args }: Place): readonly string[] {
  return args.flatMap((completes, at) =>
    completes === 'anything' ? [] : [`      (${quoted(`${words} ${at}`)}) ${offer(completes)};;`],
  )
}

function placeCase({ words, commands, options }: Place): string {
  return `    (${quoted(words)}) offered=(${[...commands, ...options].map(described).join(' ')}) ;;`
}

function offer(completes: Completes): string {
  if (completes === 'anything') return ''
  return completes === 'files' ? '_files; ' : `compadd -- ${completes.map(quoted).join(' ')}; `
}

function described({ word, says }: CompletionWord): string {
  return quoted(`${word.replaceAll(':', '\\:')}:${says}`)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

import type { CommandTable, Completes } from './command.ts'
import { type Place, placesOf, valueOptions } from './completion-words.ts'

export function fishScript(table: CommandTable): string {
  const places = placesOf(table)
  const called = places.filter(({ words }) => words !== '')
  return `# Completion of bft-scan-proxy in fish: source it, or keep it in ~/.config/fish/completions/.
function __bft_scan_proxy_place
    set -l place ''
    set -l before ''
    set -l count 0
    for word in (commandline -opc)[2..-1]
        if contains -- "$place $before" ${valueOptions(places).map(quoted).join(' ')}
            set before ''
            continue
        end
        set before $word
        switch (string trim -- "$place $word")
${called.map(({ words }) => `            case ${quoted(words)}\n                set place ${quoted(words)}\n                set count 0`).join('\n')}
            case '*'
                string match -q -- '-*' $word; or set count (math $count + 1)
        end
    end
    test "$place" = $argv[1]; and begin
        test (count $argv) -eq 1; or test $count = $argv[2]
    end
end
complete -c bft-scan-proxy -f
${places.flatMap(linesOf).join('\n')}
`
}

function linesOf(place: Place): readonly string[] {
  const { words, commands, options, args } = place
  const at = (...more: readonly string[]) =>
    `complete -c bft-scan-proxy -n ${quoted(['__bft_scan_proxy_place', quoted(words), ...more].join(' '))}`
  return [
    ...commands.map(({ word, says }) => `${at('0')} -a ${word} -d ${quoted(says)}`),
    ...options.map(({ word, says, value }) => {
      const offered = value === undefined ? '' : `${value === 'files' ? ' -r' : ' -x'}${offer(value)}`
      return `${at()} -l ${word.slice(2)}${offered} -d ${quoted(says)}`
    }),
    ...args.flatMap((completes, index) =>
      completes === 'anything' ? [] : [`${at(String(index))}${offer(completes)}`],
    ),
  ]
}

function offer(completes: Completes): string {
  if (completes === 'anything') return ''
  if (completes === 'files') return ' -F'
  return ` -a ${quoted(completes.join(' '))}`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

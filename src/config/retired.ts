/** The options of earlier releases that the daemon ignores, each with what the warning says about it. */
export const retiredOptions: Readonly<Record<string, string>> = {
  'receipts.peers': 'daemons no longer compare what super validators told them',
  'receipts.observes': 'daemons no longer compare what super validators told them',
  'metrics.spliceNames': "dashboards/splice-names.yaml has recording rules that give Splice's names",
}

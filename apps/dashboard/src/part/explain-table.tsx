import type { JSX } from 'preact';
import type { Explanation } from '@plimsoll/host/protocol/api';
import { bytesText } from '../text/units.ts';
import { Table } from './table.tsx';

/** The rule behind each number, and why the other rules did not apply. */
export function ExplainTable({ explanation }: { readonly explanation: Explanation }): JSX.Element {
  const { values, unused } = explanation;
  return (
    <Table label={`Rules for ${explanation.path}`} columns={['key', 'value', 'from']}>
      {values.map(({ key, value, bytes, from, why }) => (
        <tr key={key}>
          <th scope="row">{key}</th>
          <td class="num">
            {value}
            {bytes === undefined || value.includes(bytesText(bytes)) ? '' : ` = ${bytesText(bytes)}`}
          </td>
          <td>
            {from}
            {why === undefined ? '' : `; ${why}`}
          </td>
        </tr>
      ))}
      {unused.map(({ rule, place, why }) => (
        <tr key={`${rule}${place}`} class="muted">
          <th scope="row">unused</th>
          <td>{rule}</td>
          <td>
            {place}: {why}
          </td>
        </tr>
      ))}
    </Table>
  );
}

import type { Money } from "@liverl/contract/cost";

/** `12.50 EUR`; below a hundredth `< 0.01 EUR`. Empty where there is none. */
export function formatMoney(money: Money | null | undefined): string {
  if (!money) return "";
  const { amount, currency } = money;
  const isTiny = amount > 0 && amount < 0.01;
  const text = amount.toLocaleString("en-US", {
    minimumFractionDigits: amount < 1_000 ? 2 : 0,
    maximumFractionDigits: amount < 1_000 ? 2 : 0,
  });
  return isTiny ? `< 0.01 ${currency}` : `${text} ${currency}`;
}

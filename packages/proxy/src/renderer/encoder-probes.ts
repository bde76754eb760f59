/** Texts on which encoders of different makes disagree first: white space, case folding, digits, marks, scripts, long runs. */
export const ENCODER_PROBES: readonly string[] = [
  "def add(a, b):\n    return a + b  # it's, IT'S, we'LL and he'Ve\n\n\n\tx = [1, 22, 333, 4444, 55555]\r\n\r\n",
  " leading, trailing \t \n  two\u00a0spaces \u2003 \u3000\u0085next\u2028line\ufeffmark ",
  "'s 'S 'ſ 't'RE\"'d'' ''m\u2019s",
  "café cafe\u0301 Å A\u030a ﬁ ß İstanbul naïve \u0301alone",
  "你好，世界。カタカナ ひらがな 한국어 한 ไทย हिन्दी עברית العربية Ελληνικά русский",
  "٣٤٥ ²³ ½ Ⅷ ① 1.5e-07 0x1F 1_000_000 v2.0.1-rc.3",
  "🧪 👩‍💻 👍🏽 🇩🇪 ❤️ →⇒ ✓ ∑ §±×÷ €£¥",
  '{"a": [1, 2.0, null], "é": "\\u00e9\\n"} <a href=\'x\'>y</a> `$HOME/$(x)` && || != === // --',
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  "snake_case_name camelCaseName HTTPServerError kebab-case-name __dunder__ UPPER_CASE",
  "----------------------------------------------------------------\n================================\n",
  "                                                                        x\n\n\n\n\n\n\n\n \n \n\t\t\t\t\t\t\t\ty",
  "\u0000\u0001\u0007\u001b[31mred\u001b[0m\u007f\u0080\ue000\uf8ff\ufffd",
];
